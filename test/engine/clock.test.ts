import { expect, test } from 'vitest'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { openReceiver, type Receiver } from '@hookline/testing/receiver/receiver'
import { AdjustableClock } from '@hookline/testing/clocks/adjustable-clock'

const HOUR = 60 * 60 * 1000
const JUMPS = [0, HOUR, -HOUR, -HOUR, HOUR]
const EVENTS = 200

test('after the clock jumps an hour forward or back, every event is delivered, and new events are not delayed', async () => {
  const clock = new AdjustableClock()
  await using healthy = await openReceiver()
  // Three in ten first attempts fail, too few to open a breaker.
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
    clock.adjust(jump)
    received += (await engine.receive(EVENTS)).length
    await expect.poll(() => idsOf(healthy).size).toBe(received)
  }

  const delivered = async (): Promise<number> =>
    (await engine.deliveries({})).filter(({ state }) => state === 'delivered').length
  await expect.poll(delivered, { interval: 100 }).toBe(2 * received)
  for (const receiver of [healthy, flaky]) expect(idsOf(receiver).size).toBe(received)
  expect(healthy.requests).toHaveLength(received)
  const failures = flaky.requests.length - received
  console.log(`${received} events over ${JUMPS.length} jumps, ${failures} retried, none twice`)
  expect(failures).toBeGreaterThan(EVENTS / 2)
})

/** The ids of received deliveries. */
function idsOf({ requests }: Receiver): ReadonlySet<unknown> {
  return new Set(requests.map(({ headers }) => headers['webhook-id']))
}
