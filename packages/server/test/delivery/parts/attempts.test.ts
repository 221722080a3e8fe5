import { expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { openSender } from '@hookline/testing/engine/open-sender'
import { Transforms } from '../../../src/delivery/transforms/transforms.ts'
import { partWaiting } from '../../../src/admin/deliveries/waiting.ts'
import { WebhookHealth, webhookStates } from '../../../src/delivery/health/webhook-health.ts'
import { Attempts } from '../../../src/delivery/parts/attempts.ts'
import { type Clock, systemClock } from '../../../src/util/time/clock.ts'
import { deliveryOf } from '../../backend/conformance/deliveries/recorded-delivery.ts'

/** A clock that advances by a millisecond each time it is read. */
function tickingClock(): Clock {
  let now = NOON
  return { ...systemClock, now: () => ++now }
}

test('a delivery waits for Retry-After, however long it takes to compute its result', async () => {
  await using receiver = await openReceiver({
    respond: { status: 429, headers: { 'Retry-After': '3600' } },
  })
  const { attempts, clock, health } = attemptsOf()
  const { url } = receiver
  const webhook = { url, headers: {} }
  const destination = newDestination({ settings: { webhooks: [webhook] } })
  const open = openDelivery(url)
  const { after } = (await attempts.make(open, destination, webhook, () => true))!
  const now = clock.now()
  const states = webhookStates(destination, health, now)
  expect(
    partWaiting(after.webhooks[0]!, { destination, states, inFlight: new Map(), now, jumpMs: 0 }),
  ).toMatchObject({
    reason: 'retry_after',
  })
})

test('an event is not sent if its user was deleted, or its destination changed, while the transform waited', async () => {
  await using receiver = await openReceiver()
  const { attempts } = attemptsOf()
  const { url } = receiver
  const webhook = { url, headers: {} }
  const settings = { webhooks: [webhook], transform: '{ "text": event }' }
  const destination = newDestination({ settings })
  const open = openDelivery(url)
  const { delivery } = open
  expect(await attempts.make(open, destination, webhook, () => false)).toBeUndefined()
  expect(open.delivery).toBe(delivery)
  expect(receiver.requests).toHaveLength(0)
  const made = await attempts.make(open, destination, webhook, () => true)
  expect(made!.attempt).toMatchObject({ outcome: 'delivered', number: 1 })
})

function attemptsOf() {
  const clock = tickingClock()
  const health = new WebhookHealth(clock)
  const schedule = { windowMs: 14_400_000 }
  const sender = openSender({ clock })
  const attempts = new Attempts({ clock, health, schedule, sender, transforms: new Transforms() })
  return { attempts, clock, health }
}

function openDelivery(url: string) {
  const event = acceptedEvent()
  const [part] = deliveryOf(event).webhooks
  return {
    delivery: { ...deliveryOf(event), webhooks: [{ ...part!, url }] },
    event,
    attempts: [],
    inLanes: [],
    records: 0,
    isInNextRecord: false,
    recorded: undefined,
    freshSince: NOON,
    onRecorded: () => undefined,
  }
}
