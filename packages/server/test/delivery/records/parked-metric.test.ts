import { expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { TestEngine } from '@hookline/testing/engine/test-engine'

const HOUR = 60 * 60 * 1000

const parkedIn = async ({ metrics }: TestEngine): Promise<number | undefined> =>
  (await metrics.deliveriesParked.get()).values[0]?.value

test('deliveries count as parked only if one of their parts waits outside the lanes', async () => {
  const clock = new ManualClock()
  const { promise: opened, resolve: respond } = Promise.withResolvers<void>()
  await using receiver = await openReceiver({ respond: () => opened.then(() => 500) })
  await using engine = await TestEngine.open({
    clock,
    limits: { maxConcurrencyPerWebhook: 2 },
    retryDelaysMs: [HOUR],
    retryWindowMs: 4 * HOUR,
  })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(3)
  await receiver.waitFor(2)
  // Parts that have waited for two seconds are recorded: two in flight stay in their lane, the third is parked.
  clock.advance(2_000)
  await expect.poll(() => engine.deliveries({})).toHaveLength(3)
  expect(await parkedIn(engine)).toBe(1)
  respond()
  await receiver.waitFor(3)
  await expect
    .poll(async () => (await engine.deliveries({})).map(({ attemptCount }) => attemptCount))
    .toEqual([1, 1, 1])
  // Each is parked until its next attempt.
  expect(await parkedIn(engine)).toBe(4)
})
