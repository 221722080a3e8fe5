import { describe, expect, test } from 'vitest'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { openReceiver } from '@hookline/testing/receiver/receiver'

const HOUR = 60 * 60 * 1000
const patient = { retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR }

describe('while a receiver is down', () => {
  test('its breaker opens, and new deliveries are parked without an attempt', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ ...patient, clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(10)
    await receiver.waitFor(10)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await engine.receive(50)
    await expect.poll(() => engine.deliveries({})).toHaveLength(60)
    const untried = (await engine.deliveries({})).filter(({ attemptCount }) => attemptCount === 0)
    expect(untried).toHaveLength(50)
    expect(receiver.requests).toHaveLength(10)
  })

  test('the oldest delivery is sent as a probe, and the rest follows once a probe succeeds', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ ...patient, clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(10)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(10)
    clock.advance(1)
    const [oldest] = await engine.receive(1)
    clock.advance(1)
    await engine.receive(100)
    await expect.poll(() => engine.deliveries({})).toHaveLength(111)
    clock.advance(30_000)
    await receiver.waitFor(11)
    const probe = JSON.parse(receiver.requests[10]!.body.toString()) as { messageId: string }
    expect(probe.messageId).toBe(oldest!.event.messageId)
    await expect
      .poll(() => engine.deliveries({ eventId: oldest!.id }))
      .toMatchObject([{ attemptCount: 1 }])
    receiver.respond = () => 200
    clock.advance(60_000)
    await expect
      .poll(
        async () =>
          (await engine.deliveries({})).filter(({ state }) => state === 'delivered').length,
      )
      .toBeGreaterThanOrEqual(100)
    expect(engine.openBreakers).toBe(0)
  })

  test('the probe of a webhook with an access token closes its breaker', async () => {
    const clock = new ManualClock()
    await using endpoint = await openReceiver({
      respond: () => ({ body: '{"access_token":"t-1","expires_in":3600}' }),
    })
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ ...patient, clock })
    const oauth2 = { tokenUrl: endpoint.url, clientId: 'id', clientSecret: 'secret' }
    const webhooks = [{ url: receiver.url, headers: {}, auth: { oauth2 } }]
    const { settings } = newDestination({ settings: { webhooks } })
    await engine.destination('dst_a', receiver.url, { settings })
    await engine.receive(10)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await engine.receive(1)
    await expect.poll(() => engine.deliveries({})).toHaveLength(11)
    receiver.respond = () => 200
    clock.advance(30_000)
    await expect.poll(() => engine.openBreakers).toBe(0)
    expect(receiver.requests.at(-1)!.headers.authorization).toBe('Bearer t-1')
  })

  test('deliveries whose window ends while the breaker is open expire; later ones do not', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 500 })
    await using engine = await TestEngine.open({ ...patient, clock })
    await engine.destination('dst_a', receiver.url)
    await engine.receive(10)
    await expect.poll(() => engine.openBreakers).toBe(1)
    await engine.receive(5)
    await expect.poll(() => engine.deliveries({})).toHaveLength(15)
    // A probe is sent at least every five minutes. The first one after the window makes these
    // deliveries expire.
    for (let minutes = 0; minutes < 4 * 60 + 12; minutes += 1) {
      clock.advance(60_000)
      await engine.settled()
    }
    await engine.receive(3)
    const count = async (state: string): Promise<number> =>
      (await engine.deliveries({})).filter((delivery) => delivery.state === state).length
    await expect.poll(() => count('expired')).toBe(15)
    await expect.poll(() => count('pending')).toBe(3)
    // In four hours, the receiver got only probes, not an attempt for each delivery and retry.
    expect(receiver.requests.length).toBeLessThan(600)
  })
})

test('a webhook that responds with Retry-After is not tried again before that time', async () => {
  const clock = new ManualClock()
  await using receiver = await openReceiver({
    respond: [{ status: 429, headers: { 'retry-after': '60' } }, 200],
  })
  await using engine = await TestEngine.open({
    clock,
    retryDelaysMs: [1000],
    retryWindowMs: HOUR,
  })
  await engine.destination('dst_a', receiver.url)
  await engine.receive(1)
  await expect
    .poll(() => engine.deliveries({}))
    .toMatchObject([{ state: 'pending', attemptCount: 1 }])
  await engine.receive(5)
  await expect.poll(() => engine.deliveries({})).toHaveLength(6)
  clock.advance(59_000)
  await engine.settled()
  expect(receiver.requests).toHaveLength(1)
  // After the delay, they are sent one at a time, at the pace that the receiver accepts.
  await expect
    .poll(() => {
      clock.advance(1_000)
      return receiver.requests.length
    })
    .toBe(7)
})

test('retries use at most a quarter of the slots', async () => {
  const clock = new ManualClock()
  const limits = { maxInFlight: 16, maxConcurrencyPerWebhook: 4 }
  await using flaky = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open({ clock, limits, retryDelaysMs: [1000] })
  const urls = [1, 2, 3, 4].map((path) => `${flaky.url}/${path}`)
  for (const [index, url] of urls.entries()) await engine.destination(`dst_${index}`, url)
  await engine.receive(4)
  await expect.poll(() => engine.deliveries({})).toHaveLength(16)
  flaky.respond = () => new Promise(() => undefined)
  clock.advance(1000)
  await flaky.waitFor(16 + 4)
  await engine.settled()
  expect(flaky.requests).toHaveLength(16 + 4)
  // The receiver ends the attempts in progress when it closes their connections.
  await flaky[Symbol.asyncDispose]()
})
