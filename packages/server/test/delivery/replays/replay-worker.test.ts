import type { DeliveryState } from '@hookline/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReplaySelection } from '../../../src/backend/replays.ts'
import { ReplayRate } from '../../../src/delivery/replays/replay-worker.ts'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { newReplay } from '@hookline/testing/records/new-replay'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

async function replay(
  { backend, replays }: TestEngine,
  selection: Partial<ReplaySelection> = {},
  ratePerSecond: number | null = null,
): Promise<string> {
  const job = newReplay({ selection, ratePerSecond })
  await backend.replays.create(job)
  replays.wake()
  return job.id
}

const count = async (engine: TestEngine, state: DeliveryState): Promise<number> =>
  (await engine.deliveries({})).filter((delivery) => delivery.state === state).length

const ended = (engine: TestEngine, id: string) =>
  expect.poll(async () => (await engine.backend.replays.find(id))?.state)

describe('a replay', () => {
  test('sends rejected deliveries again, with the same webhook-id, the replay header, new attempts and a new window', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 400 })
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(1)
    await expect.poll(() => count(engine, 'rejected')).toBe(1)
    receiver.respond = (_request, index) => (index === 1 ? 500 : 200)
    clock.advance(24 * 60 * 60 * 1000)
    const id = await replay(engine)
    await ended(engine, id).toBe('finished')
    await expect.poll(() => count(engine, 'pending')).toBe(1)
    await receiver.waitFor(2)
    await expect.poll(async () => (await engine.deliveries({}))[0]?.attemptCount).toBe(1)
    clock.advance(20)
    await expect.poll(() => count(engine, 'delivered')).toBe(1)
    const [first, second, third] = receiver.requests.map(({ headers }) => headers)
    expect(second!['webhook-id']).toBe(first!['webhook-id'])
    expect(first!['x-hookline-replay']).toBeUndefined()
    expect([second!['x-hookline-replay'], third!['x-hookline-replay']]).toEqual([id, id])
    expect([second!['x-hookline-attempt'], third!['x-hookline-attempt']]).toEqual(['1', '2'])
    const [delivery] = await engine.deliveries({})
    expect(delivery).toMatchObject({ attemptCount: 2, replayId: id })
    expect(delivery!.attempts.map(({ outcome, replayId }) => [outcome, replayId])).toEqual([
      ['rejected', undefined],
      ['retry', id],
      ['delivered', id],
    ])
  })

  test('of delivered deliveries sends them again, and keeps the earlier attempts', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url)
    await engine.receive(3)
    await expect.poll(() => count(engine, 'delivered')).toBe(3)
    await ended(engine, await replay(engine, { states: ['delivered'] })).toBe('finished')
    await receiver.waitFor(6)
    await expect.poll(() => count(engine, 'delivered')).toBe(3)
    expect((await engine.deliveries({}))[0]!.attempts).toHaveLength(2)
  })

  test('of a partly delivered delivery attempts only the other webhooks', async () => {
    await using receiver = await openReceiver({
      respond: ({ path }) => (path.endsWith('/bad') ? 400 : 200),
    })
    await using engine = await TestEngine.open()
    const webhooks = ['good', 'bad'].map((path) => ({
      url: `${receiver.url}/${path}`,
      headers: {},
    }))
    const settings = { sharedSecret: null, webhooks, successPolicy: 'each' as const }
    await engine.destination('dst_a', receiver.url, { settings })
    await engine.receive(1)
    await expect.poll(() => count(engine, 'rejected')).toBe(1)
    receiver.respond = () => 200
    await ended(engine, await replay(engine)).toBe('finished')
    await expect.poll(() => count(engine, 'delivered')).toBe(1)
    const tried = receiver.requests.map(({ path }) => path.split('/').at(-1)!)
    expect(tried.toSorted()).toEqual(['bad', 'bad', 'good'])
  })

  test('delivers events that arrived while the destination was disabled, once', async () => {
    await using receiver = await openReceiver()
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url, { enabled: false })
    const events = await engine.receive(10)
    await expect
      .poll(async () => (await engine.backend.events.find(events[9]!.id))?.declined)
      .toHaveLength(1)
    await engine.destination('dst_a', receiver.url, { version: 2 })
    await ended(engine, await replay(engine, { includeDeclined: true })).toBe('finished')
    await expect.poll(() => count(engine, 'delivered')).toBe(10)
    const again = await replay(engine, { includeDeclined: true })
    await ended(engine, again).toBe('finished')
    expect(await engine.backend.replays.find(again)).toMatchObject({ requeued: 0 })
    expect(receiver.requests).toHaveLength(10)
  })

  test('obeys its rate, and stops when it is cancelled', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 400 })
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(50)
    await expect.poll(() => count(engine, 'rejected')).toBe(50)
    const id = await replay(engine, {}, 10)
    const requeued = () =>
      expect.poll(async () => (await engine.backend.replays.find(id))?.requeued)
    await requeued().toBe(10)
    await engine.settled()
    clock.advance(999)
    await engine.settled()
    await requeued().toBe(10)
    clock.advance(1)
    await requeued().toBe(20)
    await engine.backend.replays.cancel(id, clock.now())
    clock.advance(10_000)
    await engine.settled()
    expect(await engine.backend.replays.find(id)).toMatchObject({
      state: 'cancelled',
      requeued: 20,
    })
    await receiver.waitFor(70)
    await engine.settled()
    expect(receiver.requests).toHaveLength(70)
  })

  test('continues after a restart, and makes no delivery twice', async () => {
    using folder = new TemporaryFolder()
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 400 })
    let id = ''
    {
      await using engine = await TestEngine.open({ clock }, folder)
      await engine.destination('dst_a', receiver.url)
      await engine.receive(60)
      await expect.poll(() => count(engine, 'rejected')).toBe(60)
      receiver.respond = () => 200
      id = await replay(engine, {}, 25)
      await expect.poll(async () => (await engine.backend.replays.find(id))?.requeued).toBe(25)
    }
    await using engine = await TestEngine.open({ clock }, folder)
    await expect.poll(async () => (await engine.backend.replays.find(id))?.requeued).toBe(50)
    clock.advance(1000)
    await ended(engine, id).toBe('finished')
    await expect.poll(() => count(engine, 'delivered')).toBe(60)
    expect(receiver.requests).toHaveLength(120)
  })

  test('has its deliveries held while the destination is paused', async () => {
    await using receiver = await openReceiver({ respond: 400 })
    await using engine = await TestEngine.open()
    await engine.destination('dst_a', receiver.url)
    await engine.receive(5)
    await expect.poll(() => count(engine, 'rejected')).toBe(5)
    const paused = { since: 1, reason: 'operator' } as const
    await engine.destination('dst_a', receiver.url, { version: 2, paused })
    await ended(engine, await replay(engine)).toBe('finished')
    await expect.poll(() => count(engine, 'held')).toBe(5)
    expect(receiver.requests).toHaveLength(5)
  })
})

describe('the rate of a replay', () => {
  test('allows a number of deliveries a second, and returns when it allows more', () => {
    const rate = new ReplayRate(10)
    expect(rate.allowance(0)).toBe(10)
    rate.use(10)
    expect([rate.allowance(300), rate.waitMs(300)]).toEqual([0, 700])
    expect([rate.allowance(1000), rate.waitMs(1000)]).toEqual([10, 0])
  })

  test('is never exceeded, whenever the allowance is used', () => {
    const gap = fc.integer({ min: 0, max: 3000 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(gap, { maxLength: 50 }),
        (perSecond, gaps) => {
          const rate = new ReplayRate(perSecond)
          let now = 0
          let used = 0
          for (const ms of gaps) {
            now += ms
            const allowed = rate.allowance(now)
            rate.use(allowed)
            used += allowed
          }
          expect(used).toBeLessThanOrEqual(perSecond * (1 + Math.floor(now / 1000)))
        },
      ),
    )
  })
})
