import { expect, test } from 'vitest'
import type { CountsRow } from '../../../src/backend/statistics.ts'
import { NOON } from '@hookline/testing/records/accepted-event'
import { AdminServer } from '../admin-server.ts'
import { errorsIn, type ProblemDocument } from '../problem-document.ts'

const MINUTE = 60_000

interface Point {
  readonly at: string
  readonly received: number
  readonly delivered: number
  readonly pending: number | null
  readonly latencyMs: { readonly p50: number; readonly p99: number } | null
}

interface Series {
  readonly from: string
  readonly to: string
  readonly stepMs: number
  readonly points: readonly Point[]
  readonly series?: readonly { readonly id: string; readonly points: readonly Point[] }[]
}

const row = (change: Partial<CountsRow>): CountsRow => ({
  span: 'minute',
  start: NOON,
  sourceId: 'src_a',
  destinationId: '',
  counts: { received: 1 },
  ...change,
})

async function seriesOf(server: AdminServer, query: string): Promise<Series> {
  return server.must<Series>('GET', `/stats?${query}`)
}

test('by default there is a point for each minute of the last hour, even without activity', async () => {
  await using server = await AdminServer.open()
  const { points, ...rest } = await seriesOf(server, '')
  expect(rest).toEqual({
    from: '2026-01-15T11:00:00.000Z',
    to: '2026-01-15T12:00:00.000Z',
    stepMs: MINUTE,
  })
  expect(points).toHaveLength(60)
  expect(points[59]).toEqual({
    at: '2026-01-15T11:59:00.000Z',
    received: 0,
    rejected: {},
    duplicates: 0,
    declined: {},
    delivered: 0,
    failed: {},
    attempts: {},
    retried: 0,
    entered: 0,
    left: 0,
    unlinked: {},
    pending: null,
    latencyMs: null,
  })
})

test('a point aggregates its rows: counts are summed, and pending is averaged over time', async () => {
  await using server = await AdminServer.open()
  const latency = { 'latency.49': 98, 'latency.73': 2 }
  const pending = (sum: number) => ({ 'pending.sum': sum, 'pending.samples': 1 })
  await server.backend.statistics.add([
    row({ counts: { received: 5, duplicate: 1, 'unlinked.placeholder': 3 } }),
    row({ sourceId: '', counts: { 'rejected.rate_limited': 2 } }),
    row({ destinationId: 'dst_a', counts: { delivered: 100, ...latency, ...pending(10) } }),
    row({ start: NOON + MINUTE, destinationId: 'dst_a', counts: pending(20) }),
    row({ start: NOON + MINUTE, destinationId: 'dst_b', counts: pending(7) }),
    row({ destinationId: 'dst_b', counts: { 'failed.expired': 3, 'declined.integrations': 4 } }),
    row({ destinationId: 'dst_a', counts: { 'attempts.2xx': 100 } }),
    row({
      destinationId: 'dst_b',
      counts: { 'attempts.5xx': 3, 'attempts.no_response': 2, retried: 5 },
    }),
  ])
  const range = 'from=2026-01-15T12:00:00Z&to=2026-01-15T12:05:00Z&step=5m'
  const { points } = await seriesOf(server, range)
  expect(points).toEqual([
    {
      at: '2026-01-15T12:00:00.000Z',
      received: 5,
      rejected: { rate_limited: 2 },
      duplicates: 1,
      declined: { integrations: 4 },
      delivered: 100,
      failed: { expired: 3 },
      attempts: { '2xx': 100, '5xx': 3, no_response: 2 },
      retried: 5,
      entered: 0,
      left: 0,
      unlinked: { placeholder: 3 },
      pending: 22,
      latencyMs: { p50: 102, p95: 102, p99: 1002 },
    },
  ])
})

test('statistics can be limited to one source, or to one destination and the events that its source received', async () => {
  await using server = await AdminServer.open()
  const source = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhooks: [{ url: 'https://a.example' }] }
  const body = { sourceId: source.id, type: 'Webhooks', settings }
  const { id } = await server.must<{ id: string }>('POST', '/destinations', { body })
  await server.backend.statistics.add([
    row({ sourceId: source.id }),
    row({ sourceId: source.id, destinationId: id, counts: { delivered: 2 } }),
    row({ sourceId: source.id, destinationId: 'dst_b', counts: { delivered: 4 } }),
    row({ sourceId: 'src_b' }),
    row({ sourceId: '', counts: { 'rejected.rate_limited': 2 } }),
    row({ sourceId: '', destinationId: 'dst_gone', counts: { delivered: 8 } }),
  ])
  const at = 'from=2026-01-15T12:00:00Z&to=2026-01-15T12:01:00Z'
  const sums = async (query: string): Promise<[number, number]> => {
    const [point] = (await seriesOf(server, `${at}&${query}`)).points
    return [point!.received, point!.delivered]
  }
  expect(await sums('')).toEqual([2, 14])
  expect(await sums(`sourceId=${source.id}`)).toEqual([1, 6])
  expect(await sums(`destinationId=${id}`)).toEqual([1, 2])
  expect(await sums('destinationId=dst_gone')).toEqual([0, 8])
})

test('steps of an hour or more are read from the hourly rows', async () => {
  await using server = await AdminServer.open()
  await server.backend.statistics.add([row({ span: 'hour', counts: { received: 9 } }), row({})])
  const { points } = await seriesOf(server, 'step=1d&from=2026-01-15&to=2026-01-16')
  expect(points.map(({ received }) => received)).toEqual([9])
})

test.each([
  [
    'from=2026-01-15&to=9999-12-31T23:59:59Z',
    '2026-01-15T00:00:00.000Z',
    '2026-01-17T00:00:00.000Z',
  ],
  ['to=0000-01-01', '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
])('the range of %s is limited to times between 1970 and now', async (query, from, to) => {
  await using server = await AdminServer.open()
  const series = await server.must('GET', `/stats?step=1d&${query}`)
  expect(series).toMatchObject({ from, to })
})

test.each([
  ['from=yesterday', '/from invalid_format'],
  ['step=2m', '/step not_allowed'],
  ['from=2020-01-01&step=1m', '/step out_of_range'],
  ['form=2026-01-01', '/form unknown_field'],
])('%s is refused', async (query, fieldError) => {
  await using server = await AdminServer.open()
  const { status, body } = await server.call<ProblemDocument>('GET', `/stats?${query}`)
  expect([status, errorsIn(body)]).toEqual([400, [fieldError]])
})

test('entries into and exits from audiences are counted, in total and per audience', async () => {
  await using server = await AdminServer.open()
  await server.backend.statistics.add([
    row({ sourceId: 'aud_a', counts: { entered: 5, left: 1 } }),
    row({ sourceId: 'aud_b', counts: { entered: 2 } }),
  ])
  const range = 'from=2026-01-15T12:00:00Z&to=2026-01-15T12:01:00Z'
  const { points: all } = await seriesOf(server, range)
  expect(all).toMatchObject([{ entered: 7, left: 1 }])
  const { points: one } = await seriesOf(server, `${range}&sourceId=aud_a`)
  expect(one).toMatchObject([{ entered: 5, left: 1, received: 0 }])
})

test('rejected calls count for their source, and in total', async () => {
  await using server = await AdminServer.open()
  await server.backend.statistics.add([
    row({ sourceId: '', counts: { 'rejected.unknown_write_key': 2 } }),
    row({ counts: { 'rejected.rate_limited': 3 } }),
    row({ sourceId: 'src_b', counts: { 'rejected.rate_limited': 4 } }),
  ])
  const range = 'from=2026-01-15T12:00:00Z&to=2026-01-15T12:01:00Z'
  const { points: all } = await seriesOf(server, range)
  expect(all).toMatchObject([{ rejected: { unknown_write_key: 2, rate_limited: 7 } }])
  const { points: one } = await seriesOf(server, `${range}&sourceId=src_a`)
  expect(one).toMatchObject([{ rejected: { rate_limited: 3 } }])
})

/** Creates a source with this many destinations. Returns their ids, after the source's. */
async function makeDestinations(server: AdminServer, count: number): Promise<string[]> {
  const { id } = await server.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhooks: [{ url: 'https://a.example' }] }
  const body = { sourceId: id, type: 'Webhooks', settings }
  const ids = [id]
  for (let index = 0; index < count; index++)
    ids.push((await server.must<{ id: string }>('POST', '/destinations', { body })).id)
  return ids
}

test('one request has a series for each destination or source', async () => {
  await using server = await AdminServer.open()
  const [source = '', a = '', b = ''] = await makeDestinations(server, 2)
  const [other = ''] = await makeDestinations(server, 0)
  await server.backend.statistics.add([
    row({ sourceId: source, counts: { received: 5 } }),
    row({ sourceId: source, destinationId: a, counts: { delivered: 2 } }),
    row({ sourceId: source, destinationId: 'dst_gone', counts: { delivered: 8 } }),
    row({ sourceId: 'aud_a', counts: { entered: 1 } }),
  ])
  const range = 'from=2026-01-15T12:00:00Z&to=2026-01-15T12:01:00Z'
  const grouped = async (query: string) => {
    const { points, series = [] } = await seriesOf(server, `${range}&${query}`)
    const text = ([{ received, delivered } = points[0]!]: readonly Point[]) =>
      `${received} ${delivered}`
    return [text(points), Object.fromEntries(series.map((each) => [each.id, text(each.points)]))]
  }
  expect(await grouped('by=destination')).toEqual(['5 10', { [a]: '5 2', [b]: '5 0' }])
  expect(await grouped('by=source')).toEqual(['5 10', { [source]: '5 10', [other]: '0 0' }])
  expect(await grouped(`by=destination&destinationId=${b}`)).toEqual(['5 0', { [b]: '5 0' }])
  expect(await grouped(`by=source&destinationId=${a}`)).toEqual(['5 2', { [source]: '5 2' }])
  expect(await grouped(`by=destination&sourceId=${other}`)).toEqual(['0 0', {}])
  expect(await seriesOf(server, range)).not.toHaveProperty('series')
})

test('series with more than 10,000 points together are refused', async () => {
  await using server = await AdminServer.open()
  const [source = ''] = await makeDestinations(server, 7)
  const from = new Date(NOON - 1_429 * MINUTE).toISOString()
  const query = `/stats?by=destination&to=2026-01-15T12:00:00Z&from=${from}`
  const { status, body } = await server.call<ProblemDocument>('GET', query)
  expect([status, errorsIn(body)]).toEqual([400, ['/step out_of_range']])
  expect(body.errors[0]).toMatchObject({ hint: expect.stringContaining('longer step') })
  await server.must('GET', `${query}&step=5m&sourceId=${source}`)
})
