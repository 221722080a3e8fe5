import type { AcceptedEvent, Attempt, Delivery } from '@hookline/protocol'
import { idFrom, newId } from '@hookline/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { TRACE_FINDINGS } from '../../../src/admin/events/trace.ts'
import { WAIT_REASONS } from '../../../src/admin/deliveries/waiting.ts'
import { lastOf, partOf } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly nextCursor: string | null
}

interface Trace {
  readonly decisions: readonly {
    readonly destinationId: string
    readonly decision: string
    readonly reason: string | null
    readonly explanation: string
  }[]
  readonly deliveries: readonly { readonly id: string }[]
}

let server: AdminServer
let sourceId: string
beforeAll(async () => {
  server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  sourceId = source.id
})
afterAll(() => server[Symbol.asyncDispose]())

async function receive(given: Parameters<typeof acceptedEvent>[0] = {}): Promise<AcceptedEvent> {
  const event = acceptedEvent({ sourceId, at: server.clock.now(), ...given })
  await server.backend.log.append([event])
  return event
}

async function makeDestination(): Promise<string> {
  const settings = { webhookUrl: 'https://a.example/in' }
  const body = { sourceId, type: 'Webhooks', enabled: true, settings }
  return (await server.must<{ id: string }>('POST', '/destinations', { body })).id
}

function deliveryOf({ id: eventId }: AcceptedEvent, destinationId: string): [Delivery, Attempt] {
  const at = server.clock.now()
  const attempt: Attempt = {
    id: newId('att', at),
    number: 1,
    url: 'https://a.example/in',
    startedAt: at,
    durationMs: 12.5,
    outcome: 'retry',
    class: 'http_5xx',
    status: 503,
    error: 'The receiver responded with 503.',
    headers: { server: 'nginx' },
    body: 'try later',
  }
  const dueAt = at + 5000
  const delivery: Delivery = {
    id: idFrom('msg', at, crypto.getRandomValues(new Uint8Array(10))),
    eventId,
    destinationId,
    state: 'pending',
    attemptCount: 1,
    firstDueAt: at,
    dueAt,
    webhooks: [partOf({ url: attempt.url, firstDueAt: at, dueAt, lastAttempt: lastOf(attempt) })],
  }
  return [delivery, attempt]
}

const ids = async (query: string) =>
  (await server.must<Page>('GET', `/events?${query}`)).data.map(({ id }) => id)

const wordsOf = ({ meaning, help }: { meaning: string; help: string }) => ({
  message: meaning,
  remedy: help,
})

const time = (ms: number) => new Date(ms).toISOString()

test('events are found by messageId, source and type', async () => {
  const track = await receive({ messageId: 'm-1' })
  const page = await receive({ messageId: 'm-2', type: 'page' })
  expect(await ids('messageId=m-1')).toEqual([track.id])
  expect(await ids('type=page')).toEqual([page.id])
  expect(await ids(`sourceId=${sourceId}`)).toEqual([page.id, track.id])
  expect(await ids('sourceId=src_none')).toEqual([])
  expect(await ids('messageId=m-1&type=page')).toEqual([])
})

test('a listed event is the call as received, with its warnings', async () => {
  const accepted = await receive({ messageId: 'm-3' })
  const { data } = await server.must<Page>('GET', '/events?messageId=m-3')
  const { id, event, warnings } = accepted
  const { receivedAt } = event
  const counted = { duplicates: 0, lastDuplicateAt: null, outcomes: {} }
  expect(data).toEqual([
    { id, sourceId: accepted.sourceId, event, warnings, receivedAt, ...counted },
  ])
})

test('the pages of events make up the whole list, newest first', async () => {
  const all = (await server.must<Page>('GET', '/events')).data.map(({ id }) => id)
  const first = await server.must<Page>('GET', '/events?limit=2')
  await receive({ messageId: 'meanwhile' })
  const second = await server.must<Page>('GET', `/events?limit=200&cursor=${first.nextCursor}`)
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(all)
  expect(second.nextCursor).toBeNull()
})

test('a trace has one decision for each destination', async () => {
  const [delivered, declined, silent] = [
    await makeDestination(),
    await makeDestination(),
    await makeDestination(),
  ]
  server.clock.advance(1000)
  const event = await receive({ messageId: 'traced' })
  await server.backend.events.archive([
    { event, declined: [{ destinationId: declined, reason: 'destination_disabled' }] },
  ])
  const [delivery, attempt] = deliveryOf(event, delivered)
  await server.backend.deliveries.record([{ delivery, attempts: [attempt] }])
  server.clock.advance(1000)
  const later = await makeDestination()

  const trace = await server.must<Trace>('GET', `/events/${event.id}`)
  expect(trace).toMatchObject({
    event: event.event,
    source: { id: sourceId, name: 'web' },
    receivedAt: event.event.receivedAt,
    warnings: [],
    duplicates: 0,
  })
  const decisions = trace.decisions.map((each) => [each.destinationId, each.decision, each.reason])
  expect(decisions).toHaveLength(4)
  expect(decisions).toContainEqual([delivered, 'deliver', null])
  expect(decisions).toContainEqual([declined, 'declined', 'destination_disabled'])
  expect(decisions).toContainEqual([silent, 'pending', null])
  expect(decisions).toContainEqual([later, 'none', 'destination_created_later'])
  expect(trace.decisions.every(({ explanation }) => explanation.length > 20)).toBe(true)
  const times = { startedAt: time(attempt.startedAt), timing: { responseMs: 12.5 } }
  const nextAttemptAt = time(delivery.dueAt!)
  const waiting = {
    reason: 'retry',
    since: time(attempt.startedAt + 12.5),
    nextAttemptAt,
    explanation: WAIT_REASONS.retry.meaning,
    remedy: WAIT_REASONS.retry.remedy,
  }
  expect(trace.deliveries).toEqual([
    {
      id: delivery.id,
      eventId: event.id,
      destinationId: delivered,
      state: 'pending',
      attemptCount: 1,
      firstDueAt: time(delivery.firstDueAt),
      nextAttemptAt,
      webhooks: [
        {
          url: attempt.url,
          state: 'pending',
          outcome: 'retry',
          firstDueAt: time(delivery.firstDueAt),
          nextAttemptAt,
          waiting,
          lastAttempt: { ...lastOf(attempt), ...times },
        },
      ],
      attempts: [{ ...attempt, ...times }],
    },
  ])

  const [shown] = trace.deliveries
  const listed = { type: 'track', name: 'Order Completed', userId: 'u1', anonymousId: null }
  expect(await server.must('GET', `/deliveries/${delivery.id}`)).toEqual(shown)
  for (const query of [`eventId=${event.id}`, `destinationId=${delivered}`, 'state=pending']) {
    expect(await server.must('GET', `/deliveries?${query}`)).toEqual({
      data: [{ ...shown, event: listed }],
      nextCursor: null,
    })
  }
  for (const query of ['eventId=evt_none', 'destinationId=dst_none', 'state=held']) {
    expect(await server.must('GET', `/deliveries?${query}`)).toEqual({ data: [], nextCursor: null })
  }
})

test('the events from a removed source can still be traced', async () => {
  const event = await receive({ sourceId: 'src_removed' })
  expect(await server.must('GET', `/events/${event.id}`)).toMatchObject({
    source: { id: 'src_removed', name: null },
    findings: [{ code: 'source_removed', ...wordsOf(TRACE_FINDINGS.source_removed) }],
    decisions: [],
    deliveries: [],
  })
})

test('the pages of deliveries make up the whole list', async () => {
  const destinationId = await makeDestination()
  const event = await receive()
  for (let count = 0; count < 5; count += 1) {
    server.clock.advance(1)
    const [delivery] = deliveryOf(event, destinationId)
    await server.backend.deliveries.record([{ delivery, attempts: [] }])
  }
  const path = `/deliveries?destinationId=${destinationId}`
  const all = await server.must<Page>('GET', path)
  const first = await server.must<Page>('GET', `${path}&limit=3`)
  const second = await server.must<Page>('GET', `${path}&limit=3&cursor=${first.nextCursor}`)
  expect(all.data).toHaveLength(5)
  expect([...first.data, ...second.data]).toEqual(all.data)
  expect(second.nextCursor).toBeNull()
})

test.each(['/events/evt_none', '/deliveries/msg_none'])('%s is not found', async (path) => {
  const { status, body } = await server.call<ProblemDocument>('GET', path)
  expect([status, body.code]).toEqual([404, 'not_found'])
})

test.each([
  ['/events?type=delete', '/type not_allowed'],
  ['/events?message=x', '/message unknown_field'],
  ['/deliveries?state=lost', '/state not_allowed'],
])('%s is refused', async (path, fieldError) => {
  const { status, body } = await server.call<ProblemDocument>('GET', path)
  expect([status, ...errorsIn(body)]).toEqual([400, fieldError])
})

test('events are listed with their outcomes, and can be filtered by outcome', async () => {
  const destination = await makeDestination()
  const event = await receive({ messageId: 'retried' })
  const [delivery, attempt] = deliveryOf(event, destination)
  await server.backend.deliveries.record([{ delivery, attempts: [attempt] }])
  const { data } = await server.must<Page>('GET', '/events?messageId=retried&outcome=retrying')
  expect(data).toMatchObject([{ id: event.id, outcomes: { retrying: 1 } }])
  expect(await ids('messageId=retried&outcome=failed')).toEqual([])
  const { status, body } = await server.call<ProblemDocument>('GET', '/events?outcome=lost')
  expect([status, body.code]).toEqual([400, 'invalid_query'])
})
