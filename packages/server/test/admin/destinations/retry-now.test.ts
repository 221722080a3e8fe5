import { type TestDelivery } from '@hookline/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NOON } from '@hookline/testing/records/accepted-event'
import { failAuditWrites } from '@hookline/testing/service/fail-audit-writes'
import { recordDelivery } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import type { LaneId } from '../../../src/backend/deliveries.ts'
import { AdminServer, lanesWith } from '../admin-server.ts'

const URLS = ['https://a.example/', 'https://b.example/', 'https://c.example/']

const lanesOf = (destinationId: string): LaneId[] => URLS.map((url) => ({ destinationId, url }))

interface Entry {
  readonly action: string
  readonly targetId: string
  readonly before: object
  readonly after: object
}

interface Calls {
  readonly retried: (readonly LaneId[])[]
  readonly closed: LaneId[]
  readonly allowed: (readonly LaneId[])[]
  wakes: number
}

let calls: Calls
/** The results of the next test delivery, by URL. */
let tested: TestDelivery['webhooks']
beforeEach(() => {
  calls = { allowed: [], retried: [], closed: [], wakes: 0 }
})

const open = (): Promise<AdminServer> =>
  AdminServer.open({
    lanes: {
      ...lanesWith([]),
      command: async ({ command, webhooks }) => {
        if (command === 'allowNow') calls.allowed.push(webhooks)
        else if (command === 'retryNow') calls.retried.push(webhooks)
        else calls.closed.push(...webhooks)
      },
    },
    testDeliveries: {
      run: async () => ({
        deliveryId: 'msg_test',
        stored: '{}',
        formatted: '{}',
        webhooks: tested,
      }),
    },
    wake: () => void (calls.wakes += 1),
  })

let server: AdminServer
beforeAll(async () => {
  server = await open()
})
afterAll(() => server[Symbol.asyncDispose]())

async function make(to: AdminServer = server): Promise<string> {
  const source = await to.must<{ id: string }>('POST', '/sources', { body: { name: 'web' } })
  const settings = { webhooks: URLS.map((url) => ({ url })) }
  const body = { sourceId: source.id, type: 'Webhooks', enabled: true, settings }
  return (await to.must<{ id: string }>('POST', '/destinations', { body })).id
}

const newestEntry = async (): Promise<Entry> =>
  (await server.must<{ data: [Entry] }>('GET', '/audit?limit=1')).data[0]

describe('POST /destinations/:id/close-breaker', () => {
  test('closes the breaker of each webhook, changes nothing else, and leaves an audit entry', async () => {
    const id = await make()
    const before = server.backend.catalog.current.destinations.get(id)
    const { status, headers, body } = await server.call<{ id: string; version: number }>(
      'POST',
      `/destinations/${id}/close-breaker`,
    )
    expect([status, body.id, body.version, headers.get('etag')]).toEqual([200, id, 1, '"1"'])
    expect(calls.closed).toEqual(lanesOf(id))
    expect(server.backend.catalog.current.destinations.get(id)).toEqual(before)
    const entry = await newestEntry()
    expect(entry).toMatchObject({ action: 'closeBreaker', targetId: id, before: { id } })
    expect(entry.after).toEqual(entry.before)
  })

  test('requires the editor role', async () => {
    const id = await make()
    const as = async (role: string): Promise<number> => {
      const body = { name: role, role }
      const { token } = await server.must<{ token: string }>('POST', '/tokens', { body })
      const headers = { authorization: `Bearer ${token}` }
      return (await server.call('POST', `/destinations/${id}/close-breaker`, { headers })).status
    }
    expect([await as('viewer'), calls.closed.length]).toEqual([403, 0])
    expect([await as('editor'), calls.closed.length]).toEqual([200, URLS.length])
  })

  test('returns 404 for an unknown destination', async () => {
    const { status } = await server.call('POST', '/destinations/dst_none/close-breaker')
    expect([status, calls.closed]).toEqual([404, []])
  })

  test('closes nothing if its audit entry cannot be written', async () => {
    await using broken = await open()
    const id = await make(broken)
    failAuditWrites(broken.dataDir)
    const { status } = await broken.call('POST', `/destinations/${id}/close-breaker`)
    expect([status, calls.closed]).toEqual([500, []])
  })
})

describe('the next attempt is made now', () => {
  test('after a destination was resumed, even if it was not paused', async () => {
    const id = await make()
    await server.must('POST', `/destinations/${id}/pause`)
    expect(calls.retried).toEqual([])
    for (const times of [1, 2]) {
      await server.must('POST', `/destinations/${id}/resume`)
      expect(calls.retried).toEqual(Array(times).fill(lanesOf(id)))
      expect(calls.wakes).toBe(times)
    }
  })

  test('after a change to the destination, for its new webhooks', async () => {
    const id = await make()
    const settings = { webhooks: [{ url: 'https://d.example' }] }
    await server.must('PATCH', `/destinations/${id}`, { body: { settings } })
    const lane = { destinationId: id, url: 'https://d.example/' }
    expect([calls.retried, calls.wakes]).toEqual([[[lane]], 1])
  })

  test('after a manual retry of a delivery, unless it is refused', async () => {
    const id = await make()
    const rejected = await recordDelivery(server, { destinationId: id, state: 'rejected' })
    await server.must('POST', `/deliveries/${rejected.id}/retry`)
    expect([calls.allowed, calls.wakes]).toEqual([[lanesOf(id)], 1])
    const held = await recordDelivery(server, { destinationId: id, state: 'held' })
    expect((await server.call('POST', `/deliveries/${held.id}/retry`)).status).toBe(409)
    expect([calls.allowed.length, calls.retried.length, calls.wakes]).toEqual([1, 0, 1])
  })

  test('unless the destination of the retried delivery was removed', async () => {
    const { id } = await recordDelivery(server, { destinationId: 'dst_gone', state: 'rejected' })
    expect((await server.call('POST', `/deliveries/${id}/retry`)).status).toBe(409)
    expect([calls.retried, calls.wakes]).toEqual([[], 0])
  })
})

describe('a test delivery', () => {
  const failed = { outcome: 'retry', class: 'http_5xx', status: 503 } as const
  const delivered = { outcome: 'delivered', class: 'delivered', status: 204 } as const
  const sent = (url: string, result: typeof failed | typeof delivered | null) => ({
    url,
    request: { method: 'POST' as const, url, headers: {}, body: '{}' },
    result: result && { startedAt: NOON, durationMs: 5, ...result },
  })
  const send = (id: string, dryRun: boolean): Promise<object> =>
    server.must('POST', `/destinations/${id}/test`, { body: { type: 'track', dryRun } })

  test('closes only the breakers of webhooks that responded with 2xx', async () => {
    const id = await make()
    tested = [sent(URLS[0]!, failed), sent(URLS[1]!, delivered), sent(URLS[2]!, null)]
    await send(id, false)
    expect(calls.closed).toEqual([{ destinationId: id, url: URLS[1] }])
    expect(calls.retried).toEqual([])
  })

  test('closes no breaker with dryRun, because nothing was sent', async () => {
    const id = await make()
    tested = URLS.map((url) => sent(url, null))
    await send(id, true)
    expect(calls.closed).toEqual([])
  })
})
