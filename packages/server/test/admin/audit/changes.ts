import { formatTimestamp } from '@hookline/protocol'
import { NOON } from '@hookline/testing/records/accepted-event'
import { type AdminServer, TOKEN } from '../admin-server.ts'

/** A request that makes a change, and the content of its entry. */
export interface Change {
  readonly path: string
  readonly body?: object
  readonly targetId?: string
  readonly before: object | null
  readonly after: object | null
}

type Make = (records: CreatedRecords, server: AdminServer) => Promise<Change> | Change

/** Records that exist before the changes. */
export interface CreatedRecords {
  readonly source: string
  readonly destination: string
  readonly delivery: string
  readonly replay: string
  readonly token: string
  readonly audience: string
  readonly manual: string
  readonly trait: string
}

export const destinationBody = (sourceId: string) => ({
  sourceId,
  type: 'Webhooks',
  settings: { webhooks: [{ url: 'https://a.example' }] },
})

export const CONDITION = { trait: 'plan', op: 'equals', value: 'pro' }
export const COMPUTE = { fn: 'count', event: 'Order Completed' }

/** One change for each operation that changes something. */
export const CHANGES: Readonly<Record<string, Make>> = {
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
  removeWriteKey: async ({ source }, server) => {
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
  addAlertChannel: () => ({
    path: '/alerts/channels',
    body: { url: 'https://a.example', format: 'slack' },
    before: null,
    after: { sourceId: 'src_hookline', enabled: true },
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
  rotateSigningKey: async ({ destination }, server) => {
    const body = { settings: { signature: 'both' } }
    await server.must('PATCH', `/destinations/${destination}`, { body })
    return {
      path: `/destinations/${destination}/rotate-signing-key`,
      body: {},
      targetId: destination,
      before: { settings: { signingKeys: [{ signsUntil: null }] } },
      after: { settings: { signingKeys: [{ signsFrom: null }, { signsUntil: null }] } },
    }
  },
  pauseDestination: ({ destination }) => ({
    path: `/destinations/${destination}/pause`,
    body: {},
    targetId: destination,
    before: { paused: null },
    after: { paused: { reason: 'operator' } },
  }),
  resumeDestination: async ({ destination }, server) => {
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
    before: { state: 'rejected', attemptCount: 1 },
    after: { state: 'pending', attemptCount: 0 },
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
  removeSuppression: async (_made, server) => {
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
  endSuppression: async (_made, server) => {
    const suppression = { kind: 'user', id: '..', sourceId: null } as const
    await server.backend.suppressions.add([{ ...suppression, since: NOON, deletionId: 'del_a' }])
    const shown = { userId: '..', anonymousId: null, since: formatTimestamp(NOON) }
    return {
      path: '/suppressions?userId=..',
      targetId: '..',
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
  changeInspectorResponses: () => ({
    path: '/inspector/responses',
    body: { status: 503, failFirst: 2 },
    before: { status: 200, delayMs: 0, failFirst: null },
    after: { status: 503, delayMs: 0, failFirst: 2 },
  }),
  clearInspector: () => ({ path: '/inspector/requests', before: { requests: 0 }, after: null }),
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
  createSession: () => ({
    path: '/sessions',
    body: { token: TOKEN },
    before: null,
    after: { name: 'admin token', role: 'admin' },
  }),
  removeSession: async (_made, server) => {
    const { id } = await server.must<{ id: string }>('POST', '/sessions', {
      body: { token: TOKEN },
    })
    return { path: `/sessions/${id}`, targetId: id, before: { role: 'admin' }, after: null }
  },
  createSignInLink: () => ({
    path: '/sign-in-links',
    body: { role: 'viewer' },
    before: null,
    after: { role: 'viewer' },
  }),
  importConfiguration: async ({ source }) => {
    const created = 'src_01kf0rdqg0f88trbntrw0bgpgn'
    const entry = { name: 'imported', enabled: true, rateLimit: null, space: 'default' }
    const sources = [
      { id: source, ...entry },
      { id: created, ...entry },
    ]
    return {
      path: '/import',
      body: { hookline: 1, sources, destinations: [], audiences: [], traits: [] },
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

let names = 0

/** The keys of audiences and computed traits derive from their names, and are unique. */
export function uniqueName(): string {
  names += 1
  return `name ${names}`
}
