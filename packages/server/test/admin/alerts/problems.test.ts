import { expect, test } from 'vitest'
import { idFrom, remedyOf } from '@hookline/protocol'
import { acceptedEvent, NOON } from '@hookline/testing/records/accepted-event'
import { newDestination } from '@hookline/testing/records/catalog-records'
import { MAX_DESTINATIONS } from '../../../src/alerts/conditions.ts'
import {
  attemptOf,
  deliveryOf,
  lastOf,
  partOf,
  recordDelivery,
} from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer, RETENTION_MS } from '../admin-server.ts'
import type { ProblemDocument } from '../problem-document.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Problem {
  readonly key: string
  readonly condition: string
  readonly severity: string
  readonly title: string
  readonly since: string | null
  readonly count: number | null
  readonly subject: { readonly kind: string; readonly id: string; readonly name: string }
  readonly causes: readonly { readonly condition: string; readonly severity: string }[]
  readonly to: string
}

async function problemsOf(server: AdminServer): Promise<readonly Problem[]> {
  const { data } = await server.must<{ data: Problem[] }>('GET', '/problems')
  return data.filter(({ condition }) => condition !== 'disk_low')
}

async function open() {
  const server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'Shop' } })
  const body = {
    sourceId: source.id,
    type: 'Webhooks',
    name: 'CRM',
    enabled: true,
    settings: { webhooks: [{ url: 'https://a.example' }] },
  }
  const destination = await server.must<{ id: string }>('POST', '/destinations', { body })
  const count = (start: number, counts: Record<string, number>, destinationId = destination.id) =>
    server.backend.statistics.add(
      (['minute', 'hour'] as const).map((span) => {
        const length = span === 'minute' ? MINUTE : HOUR
        const at = Math.floor(start / length) * length
        return { span, start: at, sourceId: source.id, destinationId, counts }
      }),
    )
  return Object.assign(server, { sourceId: source.id, destinationId: destination.id, count })
}

test('a healthy service lists no problems', async () => {
  await using server = await open()
  expect(await problemsOf(server)).toEqual([])
})

test('a destination that has never worked is a problem until it works', async () => {
  await using server = await open()
  await server.count(NOON, { 'attempts.5xx': 1 })
  expect(await problemsOf(server)).toEqual([
    {
      key: `destination ${server.destinationId}`,
      condition: 'webhook_failing',
      severity: 'failing',
      title: 'CRM: No attempt succeeded in the last hour (1 failed).',
      remedy: "Send a test to see the receiver's response.",
      since: '2026-01-15T12:00:00.000Z',
      count: 1,
      sampleDeliveryId: null,
      subject: { kind: 'destination', id: server.destinationId, name: 'CRM' },
      causes: [
        {
          title: 'CRM: No attempt succeeded in the last hour (1 failed).',
          remedy: "Send a test to see the receiver's response.",
          url: null,
          condition: 'webhook_failing',
          severity: 'failing',
        },
      ],
      to: `/destinations/${server.destinationId}`,
    },
  ])
  server.clock.advance(MINUTE)
  await server.count(NOON + MINUTE, { 'attempts.2xx': 1, delivered: 1 })
  expect(await problemsOf(server)).toEqual([])
})

test('many failures are no longer listed a few minutes after the receiver has recovered', async () => {
  await using server = await open()
  await server.count(NOON, { 'attempts.5xx': 1_000, 'attempts.2xx': 1 })
  expect(await problemsOf(server)).toHaveLength(1)
  server.clock.advance(6 * MINUTE)
  await server.count(NOON + 6 * MINUTE, { 'attempts.2xx': 2 })
  expect(await problemsOf(server)).toEqual([])
})

test('results recorded by another process count', async () => {
  await using server = await open()
  await server.count(NOON - 30 * MINUTE, { 'attempts.no_response': 2 })
  expect((await problemsOf(server)).map(({ count }) => count)).toEqual([2])
})

test('calls refused because their source is disabled are listed as lost until it is enabled', async () => {
  await using server = await open()
  const path = `/sources/${server.sourceId}`
  await server.must('PATCH', path, { body: { enabled: false } })
  await server.count(NOON, { 'rejected.source_disabled': 39 }, '')
  await server.count(NOON - MINUTE, { 'rejected.source_disabled': 1 }, '')
  expect(await problemsOf(server)).toMatchObject([
    {
      condition: 'calls_refused',
      severity: 'data_loss',
      title: 'Shop: 40 calls were refused and lost, because the source is disabled.',
      count: 40,
      subject: { kind: 'source', id: server.sourceId, name: 'Shop' },
      to: `/sources?source=${server.sourceId}`,
    },
  ])
  await server.must('PATCH', path, { body: { enabled: true } })
  expect(await problemsOf(server)).toEqual([])
})

test('refused calls count for an hour after the last one', async () => {
  await using server = await open()
  await server.count(NOON, { 'rejected.rate_limited': 3, 'rejected.unknown_write_key': 1 }, '')
  const problems = await problemsOf(server)
  // Clients retry rate-limited calls, and a call with an unknown key may be from a scanner.
  expect(problems.map(({ condition, severity }) => [condition, severity])).toEqual([
    ['write_key_unknown', 'attention'],
    ['rate_limit_exceeded', 'attention'],
  ])
  expect(problems.map(({ title }) => title).join()).not.toContain('lost')
  server.clock.advance(61 * MINUTE)
  expect(await problemsOf(server)).toEqual([])
})

test('expired deliveries come before failures, until they are retried', async () => {
  await using server = await open()
  const { destinationId } = server
  const { id } = await recordDelivery(server, { destinationId, state: 'expired', attemptCount: 1 })
  await server.count(NOON, { 'attempts.5xx': 4, 'failed.expired': 1 })
  expect(await problemsOf(server)).toMatchObject([
    {
      condition: 'deliveries_expired',
      severity: 'data_loss',
      count: 1,
      causes: [{ condition: 'deliveries_expired' }, { condition: 'webhook_failing' }],
    },
  ])
  await server.must('POST', `/deliveries/${id}/retry`)
  server.clock.advance(MINUTE)
  await server.count(NOON + MINUTE, { 'attempts.2xx': 1 })
  expect(await problemsOf(server)).toEqual([])
})

test('rejected deliveries are a problem for an hour', async () => {
  await using server = await open()
  const { destinationId } = server
  const attempt = attemptOf({ outcome: 'rejected', class: 'http_4xx', status: 422 })
  const delivery = await recordDelivery(server, { destinationId })
  const part = partOf({ state: 'rejected', dueAt: null, lastAttempt: lastOf(attempt) })
  const finished = { state: 'rejected', dueAt: null, attemptCount: 1, webhooks: [part] } as const
  const rejected = deliveryOf(acceptedEvent(), { ...delivery, ...finished })
  await server.backend.deliveries.record([{ delivery: rejected, attempts: [attempt] }])
  await server.count(NOON, { 'attempts.2xx': 9, 'attempts.4xx': 1, 'failed.rejected': 1 })
  expect(await problemsOf(server)).toMatchObject([
    {
      condition: 'deliveries_rejected',
      severity: 'data_loss',
      count: 1,
      // Even though the destination otherwise works.
      title: expect.stringContaining('The receiver responded with 422'),
      remedy: remedyOf('http_4xx', 422),
      sampleDeliveryId: delivery.id,
    },
  ])
  server.clock.advance(61 * MINUTE)
  expect(await problemsOf(server)).toEqual([])
})

test('a delivery that is rejected again after a retry is counted once, however many others there are', async () => {
  await using server = await open()
  const { destinationId, backend } = server
  const attempt = attemptOf({ outcome: 'rejected', class: 'http_4xx', status: 422 })
  const stored = await recordDelivery(server, { destinationId })
  const finished = { ...stored, dueAt: null, attemptCount: 1 }
  const part = partOf({ state: 'rejected', lastAttempt: lastOf(attempt) })
  const rejected = { ...finished, state: 'rejected' as const, webhooks: [part] }
  await backend.deliveries.record([{ delivery: rejected, attempts: [attempt] }])
  // A list of deliveries examines no more than 50,000 at once.
  for (let made = 0; made < 51; made += 1)
    await backend.deliveries.record(
      Array.from({ length: 1_000 }, () => {
        const id = idFrom('msg', NOON + 1, crypto.getRandomValues(new Uint8Array(10)))
        const webhooks = [partOf({ state: 'delivered' })]
        return {
          delivery: { ...finished, id, state: 'delivered' as const, webhooks },
          attempts: [],
        }
      }),
    )
  await server.count(NOON, { 'attempts.2xx': 9, 'attempts.4xx': 2, 'failed.rejected': 2 })
  expect(await problemsOf(server)).toMatchObject([{ condition: 'deliveries_rejected', count: 1 }])
})

test("the cause of a destination's failures is listed, however many other destinations have rejected deliveries", async () => {
  await using server = await open()
  const { destinationId, backend } = server
  for (let index = 0; index < 25; index += 1) {
    const id = `dst_${index}`
    await backend.catalog.putDestination(newDestination({ id, sourceId: server.sourceId }))
    await server.count(NOON, { 'attempts.2xx': 9, 'attempts.4xx': 1, 'failed.rejected': 1 }, id)
  }
  const attempt = attemptOf({ status: 503 })
  const stored = await recordDelivery(server, { destinationId })
  const webhooks = [partOf({ lastAttempt: lastOf(attempt) })]
  const retrying = { ...stored, attemptCount: 1, webhooks }
  await backend.deliveries.record([{ delivery: retrying, attempts: [attempt] }])
  await server.count(NOON, { 'attempts.5xx': 1 })
  const problem = (await problemsOf(server)).find(({ subject }) => subject.id === destinationId)
  expect(problem).toMatchObject({
    condition: 'webhook_failing',
    title: expect.stringContaining('The receiver responded with 503'),
  })
})

test('destinations beyond the limit are counted, and those with lost deliveries come first', async () => {
  await using server = await open()
  const { catalog } = server.backend
  for (let index = 0; index < MAX_DESTINATIONS; index += 1) {
    const id = `dst_${index}`
    await catalog.putDestination(newDestination({ id, sourceId: server.sourceId }))
    await server.count(NOON, { 'attempts.5xx': 1 }, id)
  }
  await recordDelivery(server, { destinationId: server.destinationId, state: 'expired' })
  await server.count(NOON, { 'failed.expired': 1 })
  const problems = await problemsOf(server)
  expect(problems[0]).toMatchObject({
    condition: 'deliveries_expired',
    subject: { id: server.destinationId },
  })
  expect(problems.at(-1)).toMatchObject({
    condition: 'destinations_skipped',
    count: 1,
    title: '1 destination was not checked, because too many others need attention.',
  })
})

test('only admins see the description of corruption', async () => {
  await using server = await open()
  const corruptions = async () => [{ foundAt: NOON, description: 'planted.db lost 3 rows' }]
  Object.assign(server.backend.upkeep, { corruptions })
  const body = { name: 'reader', role: 'viewer' }
  const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
  const headers = { authorization: `Bearer ${token}` }
  const { body: seen } = await server.call<{ data: Problem[] }>('GET', '/problems', { headers })
  const titles = (problems: readonly Problem[]) =>
    problems.flatMap(({ condition, title }) => (condition === 'damage_found' ? title : []))
  expect(titles(seen.data)).toEqual([
    'Data corruption was found. Admins can see the details on the System page.',
  ])
  expect(JSON.stringify(seen)).not.toContain('planted')
  expect(titles(await problemsOf(server))).toEqual(['Data corruption: planted.db lost 3 rows'])
})

test('a retry window that is not shorter than a lowered retention needs attention', async () => {
  await using server = await open()
  const { catalog } = server.backend
  const destination = catalog.current.destinations.get(server.destinationId)!
  const [webhook] = destination.settings.webhooks
  const limits = { retryWindowMs: RETENTION_MS }
  const settings = { ...destination.settings, webhooks: [{ ...webhook!, limits }] }
  await catalog.putDestination({ ...destination, settings, version: destination.version + 1 })
  expect(await problemsOf(server)).toMatchObject([
    {
      condition: 'retry_window_too_long',
      severity: 'attention',
      title: 'CRM (a.example): The retry window is as long as retention, or longer.',
      to: `/destinations/${server.destinationId}?tab=settings`,
    },
  ])
})

test('failures at a deleted destination are not listed, and cannot be retried', async () => {
  await using server = await open()
  const { destinationId } = server
  const { id } = await recordDelivery(server, { destinationId, state: 'expired', attemptCount: 1 })
  await server.count(NOON, { 'attempts.5xx': 4, 'failed.expired': 1 })
  await server.must('DELETE', `/destinations/${destinationId}`)
  expect(await problemsOf(server)).toEqual([])
  const retried = await server.call<ProblemDocument>('POST', `/deliveries/${id}/retry`)
  expect([retried.status, retried.body.code, retried.body.detail]).toEqual([
    409,
    'invalid_state',
    'The destination was deleted.',
  ])
})
