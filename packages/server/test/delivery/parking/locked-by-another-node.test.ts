import { expect, test } from 'vitest'
import type { Backend } from '../../../src/backend/backend.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

const SECOND = 1_000

test('deliveries locked by another node during a claim are claimed within seconds', async () => {
  let [claims, isLocked] = [0, true]
  /** A claim returns nothing, as if another node had locked the due deliveries. */
  const through = (backend: Backend): Backend => {
    const { deliveries } = backend
    return {
      ...backend,
      deliveries: {
        record: (records) => deliveries.record(records),
        claim: async (lane, request) => {
          claims += 1
          return isLocked ? { deliveries: [], unreadable: [] } : deliveries.claim(lane, request)
        },
        claimUnsplit: (limit) => deliveries.claimUnsplit(limit),
        release: (ids, lane) => deliveries.release(ids, lane),
        waiting: () => deliveries.waiting(),
        find: (id) => deliveries.find(id),
        list: (filter, page) => deliveries.list(filter, page),
      },
    }
  }
  const clock = new ManualClock()
  await using receiver = await openReceiver({ respond: [500, 200] })
  await using engine = await TestEngine.open({ retryDelaysMs: [SECOND], clock, through })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(1)
  const attemptCounts = async (): Promise<number[]> =>
    (await engine.deliveries({})).map((each) => each.attemptCount)
  await expect.poll(attemptCounts).toEqual([1])
  const [delivery] = await engine.deliveries({})
  clock.advance(delivery!.dueAt! - clock.now())
  await expect.poll(() => claims).toBeGreaterThan(0)
  isLocked = false
  const unlockedAt = clock.now()
  const received = (): number => {
    clock.advance(100)
    return receiver.requests.length
  }
  await expect.poll(received).toBe(2)
  // Otherwise the feed runs every 15 s.
  expect(clock.now() - unlockedAt).toBeLessThan(10 * SECOND)
})
