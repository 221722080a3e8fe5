import { describe, expect, test } from 'vitest'
import { BackendUnavailableError } from '../../src/backend/backend.ts'
import { ThreadExitedError } from '../../src/threads/channel.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openHost } from './open-host.ts'

type Open = ReturnType<typeof openHost>

/** Resolves with the channel of this start (1 for the first) when the thread is ready. */
async function ready({ channels }: Open, start = 1): Promise<Open['channels'][number]> {
  await expect.poll(() => channels.length).toBe(start)
  return channels.at(-1)!
}

const failures = ({ lines }: Open) => lines.filter(({ msg }) => msg === 'thread.failed')
const failureMetric = async ({ metrics }: Open) => (await metrics.threadFailures.get()).values

describe('a thread', () => {
  test('exchanges calls with main in both directions', async () => {
    const channel = await ready(openHost())
    expect(await channel.call('add', [1, 2, 3])).toBe(6)
    expect(await channel.call('mainName')).toBe('main')
    const block = new Uint8Array([1, 2, 3]).buffer
    expect(await channel.call('sumOf', block, [block])).toBe(6)
    await expect(channel.call('fail', 'unavailable')).rejects.toBeInstanceOf(
      BackendUnavailableError,
    )
  })

  test('makes `ready` resolve when it is ready, or reject if it cannot start', async () => {
    const { host } = openHost()
    expect(await host.ready()).toBe(host.channel)
    const failing = openHost({ data: { starts: 'unavailable' } })
    await expect(failing.host.ready()).rejects.toMatchObject({ message: 'disk full' })
    const input = () => Promise.reject(new Error('no port'))
    await expect(openHost({ input }).host.ready()).rejects.toThrow('no port')
  })

  test('finishes its work before it stops', async () => {
    const open = openHost()
    const channel = await ready(open)
    await open.threads[Symbol.asyncDispose]()
    expect(open.said).toEqual(['stopped'])
    expect(open.counts.ended).toBe(1)
    expect(open.host.channel).toBeUndefined()
    expect(failures(open)).toEqual([])
    await expect(channel.call('add', [1])).rejects.toBeInstanceOf(ThreadExitedError)
  })

  test('that does not stop is terminated after the deadline', async () => {
    const open = openHost({ data: { stops: 'never' }, stopTimeoutMs: 100 })
    await ready(open)
    await open.threads[Symbol.asyncDispose]()
    expect(open.counts.ended).toBe(1)
    expect(failures(open)).toEqual([])
  })

  test('that is stopped during its start is terminated immediately', async () => {
    const open = openHost({ data: { starts: 'never' } })
    await open.threads[Symbol.asyncDispose]()
    expect(open.counts.ended).toBe(0)
    expect(failures(open)).toEqual([])
  })

  test('that is not ready after 30 seconds has failed', async () => {
    const clock = new ManualClock()
    const open = openHost({ clock, data: { starts: 'never' } })
    await expect.poll(() => (clock.advance(30_000), failures(open).length)).toBeGreaterThan(0)
    expect(failures(open)[0]).toMatchObject({
      err: { message: 'The thread did not start in time.' },
    })
  })
})

describe('a thread that exits', () => {
  test.each([
    ['throw', 'TypeError', 'a fault'],
    ['reject', 'RangeError', 'a rejection'],
    ['exit', 'Error', 'The thread exited with code 3.'],
    ['memory', 'Error', 'Worker terminated due to reaching memory limit: JS heap out of memory'],
  ] as const)('by %s is reported and restarted', async (how, type, message) => {
    const open = openHost({ resourceLimits: { maxOldGenerationSizeMb: 32 } })
    const first = await ready(open)
    const openCall = first.call('never')
    first.send('end', how)
    await expect(openCall).rejects.toBeInstanceOf(ThreadExitedError)
    const second = await ready(open, 2)
    expect(await second.call('add', [1, 2])).toBe(3)
    const err = expect.objectContaining({ type, message })
    expect(failures(open)).toMatchObject([{ thread: 'work-1', failures: 1, restartInMs: 0, err }])
    expect(await failureMetric(open)).toMatchObject([{ labels: { thread: 'work-1' }, value: 1 }])
    expect([...open.threads.failing]).toEqual([['work-1', expect.any(String)]])
    expect(open.counts.ended).toBe(1)
  })

  test('logs the reason in its last lines, even if main is busy', async () => {
    const open = openHost()
    const channel = await ready(open)
    channel.send('end', 'throw')
    channel.flush()
    // By the time main continues, both the exit and the last lines have arrived.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    await ready(open, 2)
    expect(open.lines.map(({ msg }) => msg)).toEqual(['attempt.crashed', 'thread.failed'])
  })

  test('because it was killed is restarted', async () => {
    const open = openHost()
    const channel = await ready(open)
    const openCall = channel.call('never')
    open.host.terminate()
    await expect(openCall).rejects.toBeInstanceOf(ThreadExitedError)
    await ready(open, 2)
    const message = 'The thread exited with code 1.'
    expect(failures(open)).toMatchObject([{ err: { message } }])
  })

  test('is reported as failing until its replacement has run for ten seconds', async () => {
    const clock = new ManualClock()
    const open = openHost({ clock })
    const channel = await ready(open)
    channel.send('end', 'throw')
    await expect.poll(() => failures(open)).toHaveLength(1)
    clock.advance(0)
    await ready(open, 2)
    clock.advance(9_999)
    expect([...open.threads.failing]).toEqual([['work-1', 'TypeError']])
    clock.advance(1)
    expect(open.threads.failing.size).toBe(0)
  })

  test('five times within a minute is not restarted', async () => {
    const clock = new ManualClock()
    const open = openHost({ clock })
    for (let start = 1; start <= 5; start++) {
      const channel = await ready(open, start)
      channel.send('end', 'throw')
      await expect.poll(() => open.counts.ended).toBe(start)
      clock.advance(start === 1 ? 0 : 6_000)
    }
    await expect
      .poll(() => open.failedPermanently)
      .toMatchObject([{ worker: 'work-1', failures: 5 }])
    expect(open.lines.at(-1)).toMatchObject({
      msg: 'thread.failed_permanently',
      level: 60,
      failures: 5,
    })
    expect(open.channels).toHaveLength(5)
    const pauses = failures(open).map(({ restartInMs }) => restartInMs as number)
    for (const [index, min] of [0, 150, 300, 600].entries())
      expect(pauses[index]! - min).toBeGreaterThanOrEqual(0)
    expect(pauses[0]).toBe(0)
    // Leaves a second for the start, so that a thread is ready within two seconds of an exit.
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_000)
  })

  test('because the backend is unavailable is restarted without limit', async () => {
    const clock = new ManualClock()
    const open = openHost({ clock, data: { starts: 'unavailable' } })
    for (let start = 1; start <= 7; start++) {
      await expect.poll(() => failures(open)).toHaveLength(start)
      clock.advance(12_500)
    }
    expect(open.failedPermanently).toEqual([])
    expect([...open.threads.failing]).toEqual([['work-1', 'disk full']])
  })
})
