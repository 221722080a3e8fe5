import { expect, test } from 'vitest'
import { TestEngine } from '../../packages/server/test/harness/test-engine.ts'
import { openReceiver, type Receiver } from '../../packages/server/test/harness/receiver.ts'
import { SkippingClock } from './skipping-clock.ts'

const HOUR = 60 * 60 * 1000
const JUMPS = [0, HOUR, -HOUR, -HOUR, HOUR]
const EVENTS = 200

test('a clock that jumps an hour forward and back loses nothing, and nothing fresh waits for it', async () => {
  const clock = new SkippingClock()
  await using healthy = await openReceiver()
  // Three first attempts of ten fail: too few for a breaker.
  await using flaky = await openReceiver({
    respond: ({ headers }, index) =>
      headers['x-hookline-attempt'] === '1' && index % 10 < 3 ? 500 : 200,
  })
  await using engine = await TestEngine.open({
    clock,
    retryDelaysMs: [50],
    retryWindowMs: 4 * HOUR,
  })
  await engine.destination('dst_healthy', healthy.url)
  await engine.destination('dst_flaky', flaky.url)
  let received = 0
  for (const jump of JUMPS) {
    clock.skip(jump)
    received += (await engine.receive(EVENTS)).length
    await expect.poll(() => idsOf(healthy).size, { timeout: 5000 }).toBe(received)
  }

  // What was planned while the clock was ahead is due when it gets there again.
  clock.skip(HOUR)
  const isAllDelivered = async (): Promise<boolean> => {
    const deliveries = await engine.deliveries({})
    const delivered = deliveries.filter(({ state }) => state === 'delivered')
    if (delivered.length === 2 * received) return true
    // Life goes on: the set clock alone wakes nobody before the minute is over.
    if (delivered.length < deliveries.length) received += (await engine.receive(1)).length
    return false
  }
  await expect.poll(isAllDelivered, { timeout: 20_000, interval: 100 }).toBe(true)
  for (const receiver of [healthy, flaky]) expect(idsOf(receiver).size).toBe(received)
  expect(healthy.requests).toHaveLength(received)
  const failures = flaky.requests.length - received
  console.log(`${received} events over ${JUMPS.length} jumps, ${failures} retried, none twice`)
  expect(failures).toBeGreaterThan(EVENTS / 2)
})

/** The deliveries that a receiver has been sent, each once. */
function idsOf({ requests }: Receiver): ReadonlySet<unknown> {
  return new Set(requests.map(({ headers }) => headers['webhook-id']))
}
