import { describe, expect, test } from 'vitest'
import { countGone, type GoneCount } from '../../../src/delivery/health/webhook-pauser.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { openReceiver } from '@hookline/testing/receiver/receiver'

const MINUTE = 60_000

describe('410 responses count', () => {
  const after = (...responses: readonly (readonly [afterMs: number, status?: number])[]) =>
    responses.reduce<{ gone: GoneCount | undefined; now: number }>(
      ({ gone, now }, [afterMs, status]) => ({
        gone: countGone(gone, status, now + afterMs),
        now: now + afterMs,
      }),
      { gone: undefined, now: NOON },
    ).gone?.count

  test('when they are a minute apart', () => {
    expect(after([0, 410], [MINUTE, 410], [MINUTE, 410])).toBe(3)
  })
  test('only if a minute has passed since the last one that counted', () => {
    expect(after([0, 410], [MINUTE - 1, 410])).toBe(1)
    expect(after([0, 410], [MINUTE - 1, 410], [1, 410])).toBe(2)
  })
  test('until there is another response', () => {
    expect(after([0, 410], [MINUTE, 410], [MINUTE, 200])).toBeUndefined()
    expect(after([0, 410], [MINUTE, 500], [MINUTE, 410])).toBe(1)
  })
  test('across attempts that got no response', () => {
    expect(after([0, 410], [MINUTE], [MINUTE, 410])).toBe(2)
  })
})

describe('a receiver that responds with 410 Gone', () => {
  test('has its webhook paused after the third 410, which is logged once, and new deliveries are held', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: 410 })
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url)
    for (let count = 1; count <= 3; count += 1) {
      await engine.receive(2)
      await receiver.waitFor(2 * count)
      await expect.poll(() => engine.deliveries({})).toHaveLength(2 * count)
      clock.advance(MINUTE)
    }
    const webhook = () =>
      engine.backend.catalog.current.destinations.get('dst_a')!.settings.webhooks[0]!
    await expect.poll(() => webhook().paused?.reason).toBe('webhook_gone')
    expect(engine.logged.filter(({ msg }) => msg === 'webhook.paused')).toMatchObject([
      {
        destinationId: 'dst_a',
        destination: 'dst_a',
        webhook: `127.0.0.1:${receiver.port}`,
        reason: 'webhook_gone',
      },
    ])
    await engine.receive(5)
    await expect
      .poll(async () => (await engine.deliveries({})).filter(({ state }) => state === 'held'))
      .toHaveLength(5)
    expect(receiver.requests).toHaveLength(6)
  })

  test('does not have its webhook paused if another response comes in between', async () => {
    const clock = new ManualClock()
    await using receiver = await openReceiver({ respond: [410, 410, 200, 410] })
    await using engine = await TestEngine.open({ clock })
    await engine.destination('dst_a', receiver.url)
    for (let count = 1; count <= 5; count += 1) {
      await engine.receive(1)
      await expect.poll(() => engine.deliveries({})).toHaveLength(count)
      clock.advance(MINUTE)
    }
    await engine.settled()
    const { settings } = engine.backend.catalog.current.destinations.get('dst_a')!
    expect(settings.webhooks[0]?.paused).toBeUndefined()
  })
})

test('a webhook whose receiver responds with webhook-delivery: disable is paused, and its delivery is not repeated', async () => {
  await using receiver = await openReceiver({
    respond: { status: 500, headers: { 'webhook-delivery': 'disable' } },
  })
  await using engine = await TestEngine.open()
  await engine.destination('dst_a', receiver.url)
  await engine.receive(1)
  const webhook = () =>
    engine.backend.catalog.current.destinations.get('dst_a')!.settings.webhooks[0]!
  await expect.poll(() => webhook().paused?.reason).toBe('disabled_by_receiver')
  expect(engine.logged.filter(({ msg }) => msg === 'webhook.paused')).toMatchObject([
    { destinationId: 'dst_a', reason: 'disabled_by_receiver' },
  ])
  await engine.receive(5)
  await expect
    .poll(async () => (await engine.deliveries({})).filter(({ state }) => state === 'held'))
    .toHaveLength(6)
  expect(receiver.requests.length).toBeLessThanOrEqual(2)
})
