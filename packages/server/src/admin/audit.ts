import { formatTimestamp, newId } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { ChangeFeed } from '../activity/change-feed.ts'
import type { Audit, AuditEntry } from '../backend/audit.ts'
import type { Catalog } from '../backend/catalog.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Clock } from '../util/time/clock.ts'
import type { AdminApp } from './api/admin-app.ts'
import { List } from './api/list.ts'
import * as Schema from './api/schema.ts'

const AuditEntryResponse = Type.Object({
  id: Type.String(),
  at: Schema.time,
  actor: Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
  action: Schema.text('The operationId of the request.'),
  targetId: Schema.nullable(Schema.text('The id of the changed record.')),
  before: Schema.nullable(Schema.anyObject),
  after: Schema.nullable(Schema.anyObject),
  requestId: Type.String(),
  unreadable: Type.Optional(
    Type.Literal(true, {
      description: 'The stored entry is damaged. It shows what can still be read of it.',
    }),
  ),
})

const filter = {
  actorId: Type.Optional(Schema.text('Only changes made with this token.')),
  action: Type.Optional(Schema.text('Only this operationId.')),
  targetId: Type.Optional(Schema.text('Only changes of the record with this id.')),
}

const auditSchema = {
  ...Schema.operationsTagged('Audit').admin(
    'listAudit',
    'Lists changes and who made them, newest first',
  ),
  isLongRead: true,
  querystring: Type.Object({ ...Schema.listQuery, ...filter }, { additionalProperties: false }),
  response: Schema.pages(
    'A page of changes. Each shows the record before and after the change, without secrets. A change of many records shows their number, the first 1,000 ids, and the records that fit into 64 KB.',
    AuditEntryResponse,
  ),
}

const list = new List<AuditEntry>('audit', ({ isUnreadable, ...entry }) => ({
  ...entry,
  at: formatTimestamp(entry.at),
  ...(isUnreadable && { unreadable: true }),
}))

interface AuditDeps {
  readonly audit: Audit
  readonly logger: Logger
}

/** `/audit`: the log of changes. */
export function addAuditRoute(app: AdminApp, { audit, logger }: AuditDeps): void {
  app.get('/audit', { schema: auditSchema }, ({ query }) => {
    const { limit: _limit, cursor: _cursor, ...filters } = query
    return list.page(query, async (page) => {
      const entries = await audit.list(filters, page)
      const ids = entries.data.filter(({ isUnreadable }) => isUnreadable).map(({ id }) => id)
      if (ids.length > 0) logger.error({ ids }, 'audit.unreadable')
      return entries
    })
  })
}

/** A port whose methods `Changes` require an audit entry: so no route makes a change without one. */
export type Audited<Port, Changes extends keyof Port> = Omit<Port, Changes> & {
  readonly [Name in Changes]: Port[Name] extends (...given: infer Given) => infer Result
    ? (...given: Required<Given>) => Result
    : never
}

/** The catalog, whose changes require an audit entry. */
export type AuditedCatalog = Audited<
  Catalog,
  | 'putSource'
  | 'removeSource'
  | 'putDestination'
  | 'removeDestination'
  | 'putComputation'
  | 'removeComputation'
  | 'putAll'
>

/** The dependencies of routes that change records. */
export interface ChangeDeps {
  readonly catalog: AuditedCatalog
  readonly audit: Audit
  readonly clock: Clock
  /** Wakes the workers, after deliveries became due, a replay or deletion was created, or an audience changed. */
  readonly wake: () => void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The audit entries of the request. */
    audited: AuditEntry[]
  }
}

/** The part of a request that its entry needs. */
export type AuditedRequest = Pick<FastifyRequest, 'actor' | 'id' | 'routeOptions' | 'audited'>

/** The part of a request that a change of one record needs. */
export type RecordRequest = AuditedRequest &
  Pick<FastifyRequest, 'headers'> & { readonly params: { readonly id: string } }

/** What an entry shows of a change: without secrets, and bounded in size. */
type AuditedChange = Pick<AuditEntry, 'targetId' | 'before' | 'after'>

/**
 * The audit entry of a request, made at the time `at`. A route passes it to the port method that makes the change: the
 * backend writes both in one transaction, so that no change is durable without its entry. `announceChanges` tells of it when
 * the request has succeeded.
 */
export function auditEntry(
  { actor, id: requestId, routeOptions, audited }: AuditedRequest,
  at: number,
  change: AuditedChange,
): AuditEntry {
  const { schema, url, method } = routeOptions
  const { operationId } = (schema ?? {}) as { operationId?: string }
  const entry = {
    id: newId('adt', at),
    at,
    actor: { id: actor.id, name: actor.name, role: actor.role },
    action: operationId ?? `${String(method)} ${url}`,
    ...change,
    requestId,
  }
  audited.push(entry)
  return entry
}

/** The audit entry of a request that changes one record: `null` before it is created, and after it is removed. */
export function recordEntry<T extends { readonly id: string }>(
  request: AuditedRequest,
  at: number,
  [before, after]: readonly [before: T | null, after: T | null],
  present: (record: T) => object,
): AuditEntry {
  return auditEntry(request, at, {
    targetId: after?.id ?? before?.id ?? null,
    before: before && present(before),
    after: after && present(after),
  })
}

/** An entry about many records names at most so many of them. */
export const AUDITED_IDS = 1_000

/** An entry about many records shows as many as fit into so many bytes of JSON. */
const MAX_RECORDS_BYTES = 64 * 1024

/**
 * Many records for an audit entry: their number, the first 1,000 ids, and as many whole records as fit into 64 KB.
 */
export function auditedRecords<T extends { readonly id: string }>(
  records: readonly T[],
  present: (record: T) => object,
): object {
  const shown: object[] = []
  let bytes = 0
  for (const record of records) {
    const presented = present(record)
    bytes += Buffer.byteLength(JSON.stringify(presented))
    if (bytes > MAX_RECORDS_BYTES) break
    shown.push(presented)
  }
  return {
    count: records.length,
    ids: records.slice(0, AUDITED_IDS).map(({ id }) => id),
    records: shown,
  }
}

/** Tells the readers of the stream what each successful request has changed. */
export function announceChanges(app: AdminApp, feed: ChangeFeed): void {
  app.decorateRequest('audited')
  app.addHook('onRequest', async (request) => {
    request.audited = []
  })
  app.addHook('onResponse', async ({ audited, routeOptions }, { statusCode }) => {
    if (statusCode >= 400) return
    const path = (routeOptions.url ?? '').slice(app.prefix.length)
    for (const entry of audited) feed.requested(changeOf(entry, path))
  })
}

function changeOf({ targetId, action, actor }: AuditEntry, path: string) {
  const resource = path.split('/')[1] ?? ''
  // A suppression has no id of its own: its target is the id of a user, which must not outlive the user here.
  const id = resource === 'suppressions' ? null : targetId
  return { resource, id, action, actorId: actor.id }
}
