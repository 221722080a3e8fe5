import { formatTimestamp } from '@hookline/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NOON } from '../../harness/accepted-event.ts'
import { recordDelivery } from '../../backend/conformance/deliveries/recorded-delivery.ts'
import { AdminServer } from '../admin-server.ts'
import { faultsIn, type ProblemDocument } from '../problem-document.ts'

interface Entry {
  readonly id: string
  readonly action: string
  readonly targetId: string | null
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

/** A request that makes a change, and what its entry shows. */
interface Change {
  readonly path: string
  readonly body?: object
  readonly targetId?: string
  readonly before: object | null
  readonly after: object | null
}

type Make = (made: Made) => Promise<Change> | Change

/** Records that exist before the changes. */
interface Made {
  readonly source: string
  readonly destination: string
  readonly delivery: string
  readonly replay: string
  readonly token: string
  readonly audience: string
  readonly manual: string
  readonly trait: string
}

const destinationBody = (sourceId: string) => ({
  sourceId,
  type: 'Webhooks',
  settings: { webhooks: [{ url: 'https://a.example' }] },
})

const CONDITION = { trait: 'plan', op: 'equals', value: 'pro' }
const COMPUTE = { fn: 'count', event: 'Order Completed' }

/** Operations that take a body, and change nothing. */
const READING = ['previewAudience', 'previewTrait']

/** One change for each operation that changes something. */
const CHANGES: Readonly<Record<string, Make>> = {
  createSource: () => ({
    path: '/sources',
    body: { name: 'new' },
    before: null,
    after: { name: 'new' },
  }),
  changeSource: ({ source }) => ({
    path: `/sources/${source}`,
    body: { name: 'renamed' },
    targetId: source,
    before: { name: 'web' },
    after: { name: 'renamed' },
  }),
  removeSource: ({ source, destination }) => ({
    path: `/sources/${source}`,
    targetId: source,
    before: { name: 'web', destinations: { count: 1, ids: [destination] } },
    after: null,
  }),
  addWriteKey: ({ source }) => ({
    path: `/sources/${source}/write-keys`,
    body: {},
    targetId: source,
    before: { writeKeys: [{}] },
    after: { writeKeys: [{}, {}] },
  }),
  removeWriteKey: async ({ source }) => {
    const { writeKeys } = server.backend.catalog.current.sources.get(source)!
    return {
      path: `/sources/${source}/write-keys/${writeKeys[0]!.key}`,
      targetId: source,
      before: { writeKeys: [{}] },
      after: { writeKeys: [] },
    }
  },
  createDestination: ({ source }) => ({
    path: '/destinations',
    body: destinationBody(source),
    before: null,
    after: { sourceId: source },
  }),
  changeDestination: ({ destination }) => ({
    path: `/destinations/${destination}`,
    body: { name: 'renamed' },
    targetId: destination,
    before: { name: 'Webhooks' },
    after: { name: 'renamed' },
  }),
  removeDestination: ({ destination }) => ({
    path: `/destinations/${destination}`,
    targetId: destination,
    before: { name: 'Webhooks' },
    after: null,
  }),
  testDestination: ({ destination }) => ({
    path: `/destinations/${destination}/test`,
    body: { type: 'track' },
    targetId: destination,
    before: { name: 'Webhooks' },
    after: { name: 'Webhooks' },
  }),
  rotateSecret: ({ destination }) => ({
    path: `/destinations/${destination}/rotate-secret`,
    body: { secret: 'a planted new secret' },
    targetId: destination,
    before: { settings: { sharedSecret: { set: false } } },
    after: { settings: { sharedSecret: { set: true } } },
  }),
  pauseDestination: ({ destination }) => ({
    path: `/destinations/${destination}/pause`,
    body: {},
    targetId: destination,
    before: { paused: null },
    after: { paused: { reason: 'operator' } },
  }),
  resumeDestination: async ({ destination }) => {
    await server.must('POST', `/destinations/${destination}/pause`)
    return {
      path: `/destinations/${destination}/resume`,
      body: {},
      targetId: destination,
      before: { paused: { reason: 'operator' } },
      after: { paused: null },
    }
  },
  closeBreaker: ({ destination }) => ({
    path: `/destinations/${destination}/close-breaker`,
    body: {},
    targetId: destination,
    before: { name: 'Webhooks' },
    after: { name: 'Webhooks' },
  }),
  retryDelivery: ({ delivery }) => ({
    path: `/deliveries/${delivery}/retry`,
    body: {},
    targetId: delivery,
    before: { state: 'rejected', rounds: 1 },
    after: { state: 'pending', rounds: 0 },
  }),
  createReplay: ({ destination }) => ({
    path: '/replays',
    body: { destinationId: destination, from: '2026-01-01T00:00:00Z', text: 'planted text' },
    before: null,
    after: { destinationId: destination, state: 'queued', hasText: true },
  }),
  cancelReplay: ({ replay }) => ({
    path: `/replays/${replay}/cancel`,
    body: {},
    targetId: replay,
    before: { state: 'queued' },
    after: { state: 'cancelled', finishedAt: formatTimestamp(NOON) },
  }),
  createDeletion: ({ source }) => ({
    path: '/deletions',
    body: { userIds: ['planted user'], sourceIds: [source], suppress: true },
    before: null,
    after: { state: 'queued', users: 1, sourceIds: [source], suppress: true },
  }),
  removeSuppression: async () => {
    const suppression = {
      kind: 'user',
      id: 'u/1',
      sourceId: null,
      since: NOON,
      deletionId: 'del_a',
    } as const
    await server.backend.suppressions.add([suppression])
    const shown = { sourceId: null, since: formatTimestamp(NOON), deletionId: 'del_a' }
    return {
      path: '/suppressions/u%2F1',
      targetId: 'u/1',
      before: { count: 1, suppressions: [shown] },
      after: null,
    }
  },
  removeAnonymousSuppression: async () => {
    const suppression = { kind: 'anonymous', id: 'a/1', sourceId: null } as const
    await server.backend.suppressions.add([{ ...suppression, since: NOON, deletionId: 'del_a' }])
    const shown = { userId: null, anonymousId: 'a/1', since: formatTimestamp(NOON) }
    return {
      path: '/suppressions/anonymous/a%2F1',
      targetId: 'a/1',
      before: { count: 1, suppressions: [shown] },
      after: null,
    }
  },
  createAudience: ({ destination }) => ({
    path: '/audiences',
    body: { name: uniqueName(), destinationIds: [destination], condition: CONDITION },
    before: null,
    after: { destinationIds: [destination], condition: CONDITION, enabled: true },
  }),
  changeAudience: ({ audience }) => ({
    path: `/audiences/${audience}`,
    body: { enabled: false },
    targetId: audience,
    before: { enabled: true },
    after: { enabled: false },
  }),
  removeAudience: ({ audience }) => ({
    path: `/audiences/${audience}`,
    targetId: audience,
    before: { condition: CONDITION },
    after: null,
  }),
  syncAudience: ({ audience }) => ({
    path: `/audiences/${audience}/sync`,
    body: {},
    targetId: audience,
    before: null,
    after: { sync: 'requested' },
  }),
  changeMembers: ({ manual }) => ({
    path: `/audiences/${manual}/members`,
    body: { add: ['planted user'], remove: ['planted other'] },
    targetId: manual,
    before: null,
    after: { added: 1, removed: 1 },
  }),
  createTrait: () => ({
    path: '/traits',
    body: { name: uniqueName(), destinationIds: [], compute: COMPUTE },
    before: null,
    after: { compute: COMPUTE },
  }),
  changeTrait: ({ trait }) => ({
    path: `/traits/${trait}`,
    body: { name: 'renamed' },
    targetId: trait,
    before: { compute: COMPUTE },
    after: { name: 'renamed' },
  }),
  removeTrait: ({ trait }) => ({
    path: `/traits/${trait}`,
    targetId: trait,
    before: { compute: COMPUTE },
    after: null,
  }),
  syncTrait: ({ trait }) => ({
    path: `/traits/${trait}/sync`,
    body: {},
    targetId: trait,
    before: null,
    after: { sync: 'requested' },
  }),
  createToken: () => ({
    path: '/tokens',
    body: { name: 'ci', role: 'admin' },
    before: null,
    after: { name: 'ci', role: 'admin' },
  }),
  removeToken: ({ token }) => ({
    path: `/tokens/${token}`,
    targetId: token,
    before: { name: 'old', role: 'viewer' },
    after: null,
  }),
  importConfiguration: async ({ source }) => {
    const created = 'src_01kf0rdqg0f88trbntrw0bgpgn'
    const entry = { name: 'imported', enabled: true, rateLimit: null }
    const sources = [
      { id: source, ...entry },
      { id: created, ...entry },
    ]
    return {
      path: '/import',
      body: { hookline: 1, sources, destinations: [] },
      before: { count: 1, ids: [source], records: [{ id: source, name: 'web' }] },
      after: {
        count: 2,
        ids: [source, created],
        records: [
          { id: source, name: 'imported' },
          { id: created, name: 'imported' },
        ],
      },
    }
  },
}

let server: AdminServer
let operations: readonly {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}[]

beforeAll(async () => {
  const testDeliveries = { run: async () => ({ deliveryId: 'msg_a', webhooks: [] }) }
  server = await AdminServer.open({ testDeliveries })
  const { paths } = await server.must<{ paths: Record<string, Record<string, Operation>> }>(
    'GET',
    '/openapi.json',
  )
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'get' && method !== 'head')
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
      .filter(({ operation }) => !READING.includes(operation.operationId)),
  )
})
afterAll(() => server[Symbol.asyncDispose]())

async function makeRecords(): Promise<Made> {
  const make = async (path: string, body: object): Promise<string> =>
    (await server.must<{ id: string }>('POST', path, { body })).id
  const source = await make('/sources', { name: 'web' })
  const destination = await make('/destinations', destinationBody(source))
  const from = '2026-01-01T00:00:00Z'
  const replay = await make('/replays', { destinationId: destination, from })
  const token = await make('/tokens', { name: 'old', role: 'viewer' })
  const rejected = { destinationId: destination, state: 'rejected', rounds: 1 } as const
  const delivery = await recordDelivery(server, rejected)
  const audienceOf = (definition: object): Promise<string> =>
    make('/audiences', { name: uniqueName(), destinationIds: [], ...definition })
  const audience = await audienceOf({ condition: CONDITION })
  const manual = await audienceOf({ manual: true })
  const compute = { destinationIds: [], compute: COMPUTE }
  const trait = await make('/traits', { name: uniqueName(), ...compute })
  return { source, destination, replay, token, delivery: delivery.id, audience, manual, trait }
}

let names = 0

/** The keys of audiences and computed traits come from their names, and are unique. */
function uniqueName(): string {
  names += 1
  return `name ${names}`
}

async function newestEntries(): Promise<readonly [Entry, Entry]> {
  return (await server.must<{ data: [Entry, Entry] }>('GET', '/audit?limit=2')).data
}

/** Makes the change of an operation ready. A new operation needs a change in CHANGES. */
async function changeOf({ operationId }: Operation): Promise<Change> {
  const make = CHANGES[operationId]
  if (make === undefined) throw new Error(`Add a change for ${operationId} to this test.`)
  return make(await makeRecords())
}

test('each route that changes something leaves one entry with what was before and after', async () => {
  expect(operations.length).toBeGreaterThan(15)
  for (const { method, operation } of operations) {
    const { path, body, targetId, before, after } = await changeOf(operation)
    const [last] = await newestEntries()
    const made = await server.must<{ id?: string } | undefined>(method, path, {
      ...(body && { body }),
    })
    const [entry, previous] = await newestEntries()
    expect([operation.operationId, previous.id]).toEqual([operation.operationId, last.id])
    expect(entry).toMatchObject({
      action: operation.operationId,
      targetId: targetId ?? made?.id ?? null,
      before,
      after,
    })
    expect(JSON.stringify(entry)).not.toContain('planted')
  }
})

test('a dryRun that a route does not take is refused and changes nothing', async () => {
  let refused = 0
  for (const { method, operation } of operations) {
    const { parameters = [], operationId } = operation
    if (parameters.some(({ name, in: at }) => name === 'dryRun' && at === 'query')) continue
    const { path, body } = await changeOf(operation)
    const entries = await newestEntries()
    const catalog = server.backend.catalog.current
    const tokens = server.backend.tokens.current
    for (const query of ['dryRun=true', 'dryrun', 'a=1']) {
      const answer = await server.call<ProblemDocument>(method, `${path}?${query}`, {
        ...(body && { body }),
      })
      const [name] = query.split('=')
      expect([operationId, answer.status, answer.body.code]).toEqual([
        operationId,
        400,
        'invalid_query',
      ])
      expect(faultsIn(answer.body)).toEqual([`/${name} unknown_field`])
      expect(answer.body.errors[0]!.hint).toMatch(/./)
    }
    expect(await newestEntries()).toEqual(entries)
    expect(server.backend.catalog.current).toBe(catalog)
    expect([...server.backend.tokens.current.keys()]).toEqual([...tokens.keys()])
    refused += 1
  }
  expect(refused).toBeGreaterThan(15)
})

test('every route refuses a query parameter that it does not take', async () => {
  const routes = server.routes.filter((route) => !route.startsWith('HEAD '))
  expect(routes.length).toBeGreaterThan(35)
  for (const route of routes) {
    const [method = '', url = ''] = route.split(' ')
    const path = url.replace('/api/v1', '').replaceAll(/:\w+/g, 'none')
    const { status, body } = await server.call<ProblemDocument>(method, `${path}?limitt=1`, {
      ...(method !== 'GET' && { body: {} }),
    })
    expect([route, status >= 400 && status < 423]).toEqual([route, true])
    if (status === 400) expect(faultsIn(body)).toContain('/limitt unknown_field')
    // The faults of a body come first.
    else expect([route, body.code]).toEqual([route, 'invalid_body'])
  }
})
