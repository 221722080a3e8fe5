import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { openSender } from '@hookline/testing/engine/open-sender'
import { Transforms } from '../../../src/delivery/transforms/transforms.ts'
import { partWaiting } from '../../../src/admin/deliveries/waiting.ts'
import { WebhookHealth, webhookStates } from '../../../src/delivery/health/webhook-health.ts'
import {
  joinLane,
  leaveLane,
  type OpenDelivery,
} from '../../../src/delivery/lanes/open-delivery.ts'
import { Attempts } from '../../../src/delivery/parts/attempts.ts'
import { type Clock, systemClock } from '../../../src/util/time/clock.ts'
import { deliveryOf } from '../../backend/conformance/deliveries/recorded-delivery.ts'

/** A clock that advances by a millisecond each time it is read, and by more with `advance`. */
function tickingClock(): Clock & { advance(ms: number): void } {
  let now = NOON
  return { ...systemClock, now: () => ++now, advance: (ms) => void (now += ms) }
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

test('an attempt that may not begin after its transform sends nothing and changes nothing', async () => {
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
  const result = await attempts.make(open, destination, webhook, () => true)
  expect(result!.attempt).toMatchObject({ outcome: 'delivered', number: 1 })
})

test('an event whose values cannot fill the URL is rejected, and does not count against the receiver', async () => {
  await using receiver = await openReceiver()
  const { attempts, health } = attemptsOf()
  const url = `${receiver.url}/.{{event}}`
  const webhook = { url, headers: {} }
  const open = openDelivery(url)
  const event = { ...acceptedEvent(), body: Buffer.from('{"type":"track","event":"."}') }
  const destination = newDestination({ settings: { webhooks: [webhook] } })
  const result = await attempts.make({ ...open, event }, destination, webhook, () => true)
  expect(result).toMatchObject({
    isSent: false,
    attempt: { url, outcome: 'rejected', class: 'request_invalid', number: 1 },
  })
  expect(health.pauses()).toEqual([])
  expect(receiver.requests).toHaveLength(0)
  // The transform has declined it, so its URL does not matter.
  const declining = newDestination({ settings: { webhooks: [webhook], transform: 'nothing' } })
  const declined = await attempts.make({ ...open, event }, declining, webhook, () => true)
  expect(declined!.attempt).toMatchObject({ outcome: 'declined', class: 'transform_declined' })
})

test('a failing token endpoint opens the breaker, and each probe waits for its token', async () => {
  await using endpoint = await openReceiver({ respond: 503 })
  await using receiver = await openReceiver()
  const { attempts, clock, health } = attemptsOf()
  const oauth2 = { tokenUrl: `${endpoint.url}/token`, clientId: 'a', clientSecret: 'b' }
  const webhook = { url: receiver.url, headers: {}, auth: { oauth2 } }
  const destination = newDestination({ settings: { webhooks: [webhook] } })
  const make = (mayBegin = true) =>
    attempts.make(openDelivery(webhook.url), destination, webhook, () => mayBegin)
  const isBlocked = () => health.blockedUntil(destination.id, webhook.url) > clock.now()
  const failed = await Promise.all(Array.from({ length: 12 }, () => make()))
  for (const each of failed) expect(each!.attempt).toMatchObject({ class: 'auth_failed' })
  expect(isBlocked()).toBe(true)

  clock.advance(61_000)
  expect(isBlocked()).toBe(false)
  const probe = make()
  expect(isBlocked()).toBe(true)
  expect((await probe)!.attempt).toMatchObject({ class: 'auth_failed' })
  expect(receiver.connections).toBe(0)

  endpoint.respond = () => ({ status: 200, body: '{"access_token":"t","token_type":"Bearer"}' })
  clock.advance(121_000)
  expect(await make(false)).toBeUndefined()
  expect(isBlocked()).toBe(false)
  expect(await make()).toMatchObject({ attempt: { outcome: 'delivered' }, breaker: 'closed' })
})

test.each([
  ['is made once, before the attempts', '{ "text": event }', 1],
  ['is not kept if it is large', '{ "text": $pad(event, 70000) }', 3],
])('the body that a transform makes for all webhooks %s', async (_, transform, times) => {
  await using receiver = await openReceiver()
  const transforms = new CountedTransforms()
  const { attempts } = attemptsOf(transforms)
  const webhooks = ['/a', '/b'].map((path) => ({ url: receiver.url + path, headers: {} }))
  const destination = newDestination({ settings: { webhooks, transform } })
  const open = openDelivery(webhooks[0]!.url)
  attempts.prepare(open, destination)
  await transforms.last
  await setImmediate()
  expect(transforms.count).toBe(1)
  for (const webhook of webhooks) await attempts.make(open, destination, webhook, () => true)
  expect(transforms.count).toBe(times)
  expect(new Set(receiver.requests.map(({ body }) => body.toString())).size).toBe(1)
  const changed = { ...destination, version: destination.version + 1 }
  await attempts.make(open, changed, webhooks[0]!, () => true)
  expect(transforms.count).toBe(times + 1)
})

test('a transform that contains $url makes a body for each webhook, or none', async () => {
  await using receiver = await openReceiver()
  const transforms = new CountedTransforms()
  const { attempts } = attemptsOf(transforms)
  const webhooks = ['/a', '/b', '/c'].map((path) => ({ url: receiver.url + path, headers: {} }))
  const transform = '$contains($url, "/c") ? $none : { "text": $substringAfter($url, "hook") }'
  const destination = newDestination({ settings: { webhooks, transform } })
  const open = openDelivery(webhooks[0]!.url)
  attempts.prepare(open, destination)
  const result = await Promise.all(
    webhooks.map((webhook) => attempts.make(open, destination, webhook, () => true)),
  )
  expect(transforms.count).toBe(3)
  expect(result.map((each) => each!.attempt.outcome)).toEqual([
    'delivered',
    'delivered',
    'declined',
  ])
  const bodies = receiver.requests.map(({ path, body }) => `${path} ${body.toString()}`)
  expect(bodies.toSorted()).toEqual(['/hook/a {"text":"/a"}', '/hook/b {"text":"/b"}'])
})

test('a delivery that is parked before its transform began is not transformed until it is in a lane again', async () => {
  await using receiver = await openReceiver()
  const transforms = new CountedTransforms()
  const { attempts } = attemptsOf(transforms)
  const webhook = { url: receiver.url, headers: {} }
  const settings = { webhooks: [webhook], transform: '{ "text": event }' }
  const destination = newDestination({ settings })
  const open = openDelivery(webhook.url)
  const [task] = open.inLanes
  attempts.prepare(open, destination)
  leaveLane(task!)
  expect(await transforms.last).toBeUndefined()
  await setImmediate()
  joinLane(task!)
  const result = await attempts.make(open, destination, webhook, () => true)
  expect(result!.attempt.outcome).toBe('delivered')
  expect(transforms.count).toBe(2)
})

class CountedTransforms extends Transforms {
  count = 0
  last: Promise<unknown> = Promise.resolve()

  override apply(...args: Parameters<Transforms['apply']>) {
    this.count += 1
    const applied = super.apply(...args)
    this.last = applied
    return applied
  }
}

function attemptsOf(transforms = new Transforms()) {
  const clock = tickingClock()
  const health = new WebhookHealth(clock)
  const schedule = { windowMs: 14_400_000 }
  const sender = openSender({ clock })
  const attempts = new Attempts({ clock, health, schedule, sender, transforms })
  return { attempts, clock, health }
}

function openDelivery(url: string): OpenDelivery {
  const event = acceptedEvent()
  const [part] = deliveryOf(event).webhooks
  const open: OpenDelivery = {
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
  joinLane({ open, url, origin: 'fresh', isRetry: false })
  return open
}
