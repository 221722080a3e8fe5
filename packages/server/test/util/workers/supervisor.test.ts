import { describe, expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { RunningWorker } from '@hookline/testing/engine/running-worker'

const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Longer than the longest delay before a restart. */
const RESTART_MS = 12_500

class Away extends Error {
  override readonly name = 'Away'
}

/** A worker that fails with these errors, one per run, then runs until the signal aborts. */
function start(errors: readonly Error[], name = 'pipeline') {
  const clock = new ManualClock()
  const left = [...errors]
  let runs = 0
  const run = async (signal: AbortSignal): Promise<void> => {
    runs += 1
    const error = left.shift()
    if (error) throw error
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  const running = new RunningWorker({ name, run }, clock, (e) => e instanceof Away)
  const pass = async (ms: number): Promise<void> => {
    await turn()
    clock.advance(ms)
    await turn()
  }
  return { running, pass, runs: () => runs }
}

describe('a worker', () => {
  test('that fails is restarted after a growing delay', async () => {
    const { running, pass, runs } = start([new Error('1'), new Error('2'), new Error('3')])
    await using _running = running
    for (let failures = 1; failures <= 3; failures++) await pass(RESTART_MS)
    expect(runs()).toBe(4)
    const pauses = running.failures.map(({ restartInMs }) => restartInMs)
    for (const [index, pauseMs] of pauses.entries()) {
      expect(pauseMs).toBeGreaterThanOrEqual(750 * 2 ** index)
      expect(pauseMs).toBeLessThanOrEqual(1250 * 2 ** index)
    }
  })

  test('is reported as failing until it has run for ten seconds, with the name but not the message of the error', async () => {
    const { running, pass } = start([new TypeError('secret')])
    await using _running = running
    await turn()
    expect([...running.supervisor.failing]).toEqual([['pipeline', 'TypeError']])
    await pass(1250)
    await pass(9_999)
    expect(running.supervisor.failing.size).toBe(1)
    await pass(1)
    expect(running.supervisor.failing.size).toBe(0)
  })

  test('that fails five times within a minute is not restarted', async () => {
    const errors = Array.from({ length: 9 }, (_, index) => new Error(`${index + 1}`))
    const { running, pass, runs } = start(errors)
    await using _running = running
    for (let waits = 0; waits < 20; waits++) await pass(RESTART_MS)
    expect(runs()).toBe(5)
    expect(running.failedPermanently).toMatchObject([
      { worker: 'pipeline', failures: 5, error: { message: '5' } },
    ])
    expect(running.supervisor.failing.size).toBe(1)
  })

  test('that is not essential pauses for ten minutes after five failures, and is reported as failing until it has recovered', async () => {
    const errors = Array.from({ length: 5 }, (_, index) => new Error(`${index + 1}`))
    const { running, pass, runs } = start(errors, 'profiles')
    await using _running = running
    for (let waits = 0; waits < 5; waits++) await pass(RESTART_MS)
    expect(runs()).toBe(5)
    expect(running.suspended).toMatchObject([
      { worker: 'profiles', failures: 5, error: { message: '5' }, restartInMs: 600_000 },
    ])
    expect(running.failedPermanently).toEqual([])
    expect(running.supervisor.failing.size).toBe(1)
    await pass(600_000)
    expect(runs()).toBe(6)
    await pass(10_000)
    expect(running.supervisor.failing.size).toBe(0)
  })

  test('that fails rarely is always restarted', async () => {
    const { running, pass, runs } = start(Array.from({ length: 20 }, () => new Error('again')))
    await using _running = running
    for (let failures = 0; failures < 20; failures++) await pass(RESTART_MS + 10_000)
    expect(running.failedPermanently).toEqual([])
    expect(runs()).toBe(21)
  })

  test('is always restarted while the backend is unavailable', async () => {
    const { running, pass, runs } = start(Array.from({ length: 30 }, () => new Away('disk full')))
    await using _running = running
    await turn()
    expect(running.supervisor.failing.get('pipeline')).toBe('disk full')
    for (let failures = 0; failures < 30; failures++) await pass(RESTART_MS)
    expect(running.failedPermanently).toEqual([])
    expect(runs()).toBe(31)
  })

  test('that returns before the signal aborts has failed', async () => {
    const running = new RunningWorker({ name: 'replays', run: async () => undefined })
    await using _running = running
    await turn()
    expect(running.failures).toMatchObject([{ worker: 'replays' }])
  })
})
