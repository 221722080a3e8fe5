import { describe, expect, test } from 'vitest'
import { openReceiver } from '@hookline/testing/receiver/receiver'
import { exchange } from '@hookline/testing/network/http-exchange'
import { type RunningService, startService } from '@hookline/testing/service/running-service'
import { TESTED_BACKEND } from '@hookline/testing/service/tested-backend'

type Counts = Readonly<Record<string, number>>

interface Point {
  readonly received: number
  readonly rejected: Counts
  readonly delivered: number
  readonly attempts: Counts
  readonly retried: number
}

interface Statistics {
  readonly points: readonly Point[]
  readonly series?: readonly { readonly id: string; readonly points: readonly Point[] }[]
}

/** Covers two minutes, so that a test may run across a minute boundary. */
async function lastMinutes(service: RunningService, query = ''): Promise<Point> {
  const { points } = await service.api.call<Statistics>('GET', `stats?${query}`)
  return sumOf(points.slice(-2))
}

function sumOf(points: readonly Point[]): Point {
  const total = (countOf: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + countOf(point), 0)
  const merged = (countsOf: (point: Point) => Counts): Counts => {
    const names = new Set(points.flatMap((point) => Object.keys(countsOf(point))))
    return Object.fromEntries(
      [...names].map((name) => [name, total((point) => countsOf(point)[name] ?? 0)]),
    )
  }
  return {
    received: total(({ received }) => received),
    rejected: merged(({ rejected }) => rejected),
    delivered: total(({ delivered }) => delivered),
    attempts: merged(({ attempts }) => attempts),
    retried: total(({ retried }) => retried),
  }
}

describe.concurrent('the statistics', () => {
  test('include events, attempts and retries immediately, before the minute has ended', async () => {
    await using receiver = await openReceiver({
      respond: (_request, index) => (index === 0 ? 503 : 200),
    })
    await using service = await startService({ settings: { retryScheduleMs: '10ms' } })
    const id = await service.createDestination({ urls: [receiver.url] })
    await service.track('m-1')
    await service.endOf('m-1')
    const expected = { received: 1, delivered: 1, attempts: { '2xx': 1, '5xx': 1 }, retried: 1 }
    await service.eventually(async () => {
      expect(await lastMinutes(service)).toMatchObject(expected)
    })
    expect(await lastMinutes(service, 'step=1h')).toMatchObject(expected)
    const { series } = await service.api.call<Statistics>('GET', 'stats?by=destination')
    expect(series!.map((each) => [each.id, sumOf(each.points).delivered])).toEqual([[id, 1]])
    const destination = await service.api.call('GET', `destinations/${id}`)
    expect(destination).toMatchObject({ health: { p95LatencyMs: expect.any(Number) } })
    await service.restart()
    expect(await lastMinutes(service)).toMatchObject(expected)
  })

  test('include rejected calls by source, and calls with an unknown write key only in the total', async () => {
    await using service = await startService()
    const other = await service.createSource()
    await service.send('/v1/track', '{')
    await service.send('/v1/track', { userId: 'u1' })
    await service.send('/v1/batch', { batch: [{ type: 'track' }, { type: 'track' }] })
    await service.send('/v1/track', {}, { id: '', writeKey: 'wk_wrong' })
    await service.api.call('PATCH', `sources/${other.id}`, { enabled: false })
    await service.send('/v1/track', { userId: 'u1', event: 'E' }, other)
    const refusedIn = async (query = ''): Promise<Counts> =>
      (await lastMinutes(service, query)).rejected
    const own = await refusedIn(`sourceId=${service.source.id}`)
    expect(Object.values(own).reduce((sum, count) => sum + count, 0)).toBe(4)
    expect(own).toMatchObject({ invalid_json: 1 })
    expect(await refusedIn(`sourceId=${other.id}`)).toEqual({ source_disabled: 1 })
    expect(await refusedIn()).toEqual({ ...own, source_disabled: 1, unknown_write_key: 1 })
  })
})

test('the system page shows the checks of /readyz, the settings, and the number of stored events', async () => {
  await using service = await startService({ settings: { retentionMs: '3d' } })
  await service.track('m-1')
  await service.endOf('m-1')
  const system = await service.api.call<{
    readonly checks: object
    readonly settings: readonly { readonly name: string }[]
  }>('GET', 'system')
  const readyz = await exchange(`${service.url}/readyz`, { method: 'GET' })
  expect(system.checks).toEqual((JSON.parse(readyz.text) as { checks: object }).checks)
  expect(system).toMatchObject({
    status: 'ok',
    backend: TESTED_BACKEND,
    failingWorkers: [],
    storage: { events: 1, isExact: true, retentionMs: 3 * 24 * 60 * 60_000 },
    backlog: { pending: 0, held: 0 },
  })
  expect(system.settings.find(({ name }) => name === 'retention')).toMatchObject({
    value: '3d',
    default: '7d',
    origin: null,
  })
  expect(JSON.stringify(system)).not.toContain(service.token)
})
