import type { WebhookLimits } from '@hookline/protocol'
import { expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { TestEngine } from '@hookline/testing/engine/test-engine'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { scheduleFor } from '../../../src/delivery/parts/parts.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SERVICE = { retryDelaysMs: [MINUTE], retryWindowMs: HOUR }
const LIMITS: WebhookLimits = { retryWindowMs: 72 * HOUR, retryScheduleMs: [10 * HOUR] }

async function addDestination(engine: TestEngine, url: string, limits: WebhookLimits) {
  const webhooks = [{ url, headers: {}, limits }]
  await engine.destination('dst_a', url, {
    settings: { webhooks, sharedSecret: null, successPolicy: 'any' },
  })
}

async function partOf(engine: TestEngine) {
  const [delivery] = await engine.deliveries({})
  return delivery?.webhooks[0]
}

/** Advances the clock until the delivery has had this many attempts. */
async function untilAttempt(engine: TestEngine, clock: ManualClock, number: number): Promise<void> {
  for (let hour = 0; (await partOf(engine))?.lastAttempt?.number !== number; hour++) {
    expect(hour).toBeLessThan(80)
    clock.advance(HOUR)
    await engine.settled()
  }
}

test('a webhook has its own schedule and window, which survive a restart', async () => {
  const clock = new ManualClock()
  await using receiver = await openReceiver({ respond: 500 })
  using folder = new TemporaryFolder()
  const start = clock.now()
  {
    await using engine = await TestEngine.open({ ...SERVICE, clock }, folder)
    await addDestination(engine, receiver.url, LIMITS)
    await engine.receive(1)
    await expect.poll(async () => (await partOf(engine))?.lastAttempt?.number).toBe(1)
    expect((await partOf(engine))!.dueAt! - start).toBeGreaterThanOrEqual(7.5 * HOUR)
  }
  await using engine = await TestEngine.open({ ...SERVICE, clock }, folder)
  clock.advance(7 * HOUR)
  await engine.settled()
  expect(receiver.requests).toHaveLength(1)
  await untilAttempt(engine, clock, 2)
  expect(clock.now() - start).toBeLessThanOrEqual(13 * HOUR)
  await untilAttempt(engine, clock, 5)
  expect(await partOf(engine)).toMatchObject({ state: 'pending' })
  // The last attempt is in the last minute of the window.
  for (let hour = 0; (await partOf(engine))?.state !== 'expired'; hour++) {
    expect(hour).toBeLessThan(80)
    clock.advance(HOUR)
    await engine.settled()
  }
  expect(clock.now() - start).toBeGreaterThan(71 * HOUR)
  expect(clock.now() - start).toBeLessThanOrEqual(74 * HOUR)
})

test('a window of 0 s means no retries', async () => {
  await using receiver = await openReceiver({ respond: 500 })
  await using engine = await TestEngine.open(SERVICE)
  await addDestination(engine, receiver.url, { retryWindowMs: 0 })
  await engine.receive(1)
  await expect.poll(async () => (await partOf(engine))?.state).toBe('expired')
  expect(receiver.requests).toHaveLength(1)
})

test('a response in retryOn is retried until the receiver accepts', async () => {
  await using receiver = await openReceiver({ respond: [409, 409, 200] })
  await using engine = await TestEngine.open({ retryDelaysMs: [20] })
  await addDestination(engine, receiver.url, { retryOn: [409] })
  await engine.receive(1)
  await expect.poll(async () => (await partOf(engine))?.state).toBe('delivered')
  expect(receiver.requests).toHaveLength(3)
})

test('responses in retryOn do not open the breaker', async () => {
  await using receiver = await openReceiver({ respond: 409 })
  await using engine = await TestEngine.open({ retryDelaysMs: [HOUR], retryWindowMs: 4 * HOUR })
  await addDestination(engine, receiver.url, { retryOn: [409] })
  await engine.receive(30)
  await receiver.waitFor(30)
  await expect.poll(() => engine.lanes.current.inMemory).toBe(0)
  expect(engine.openBreakers).toBe(0)
})

test('deletion notices keep their window, and use the schedule of the webhook', () => {
  const week = 7 * 24 * HOUR
  const notices = { windowMs: week, isWindowFixed: true }
  expect(scheduleFor(notices, LIMITS)).toMatchObject({ windowMs: week, delaysMs: [10 * HOUR] })
  expect(scheduleFor({ windowMs: HOUR, delaysMs: [5] }, { concurrency: 1 })).toEqual({
    windowMs: HOUR,
    delaysMs: [5],
  })
})
