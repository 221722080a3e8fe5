import { newId } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { LiveChanges } from '../activity/live-changes.ts'
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
    Type.Literal(true, { description: 'The stored entry is corrupted: some fields are missing.' }),
  ),
})

const filter = {
  actorId: Type.Optional(Schema.text('Only changes made with the token or session with this id.')),
  action: Type.Optional(Schema.text('Only changes with this operationId.')),
  targetId: Type.Optional(Schema.text('Only changes to the record with this id.')),
}

const auditSchema = {
  ...Schema.operationsTagged('Audit').admin(
    'listAudit',
    'Lists changes and who made them, newest first',
  ),
  isLongRead: true,
  querystring: Type.Object({ ...Schema.listQuery, ...filter }, { additionalProperties: false }),
  response: Schema.pages(
    'A page of changes, each with the record before and after it, without secrets. A change to many records shows their number, the first 1,000 ids, and up to 64 KiB of records.',
    AuditEntryResponse,
  ),
}

const list = new List<AuditEntry>('audit', ({ isUnreadable, ...entry }) => ({
  ...Schema.withTimes(entry, 'at'),
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

/** A port in which the methods named by `Changes` require an audit entry. */
export type AuditedPort<Port, Changes extends keyof Port> = Omit<Port, Changes> & {
  readonly [Name in Changes]: Port[Name] extends (...args: infer Args) => infer Result
    ? (...args: Required<Args>) => Result
    : never
}

/** The catalog, whose changes require an audit entry. */
type AuditedCatalog = AuditedPort<
  Catalog,
  | 'putSource'
  | 'removeSource'
  | 'putDestination'
  | 'removeDestination'
  | 'putComputation'
  | 'removeComputation'
  | 'putAll'
>

export interface ChangeDeps {
  readonly catalog: AuditedCatalog
  readonly audit: Audit
  readonly clock: Clock
  /** Wakes the workers. */
  readonly wake: () => void
}

declare module 'fastify' {
  interface FastifyRequest {
    audited: AuditEntry[]
  }
}

export type AuditedRequest = Pick<FastifyRequest, 'actor' | 'id' | 'routeOptions' | 'audited'>

/** A request that changes one record. */
export type RecordRequest = AuditedRequest &
  Pick<FastifyRequest, 'headers'> & { readonly params: { readonly id: string } }

/**
 * The audit entry of a request. `change` must contain no secrets and be bounded in size. Pass the entry to the port method that
 * makes the change: both are written in one transaction. `announceChanges` publishes it if the request succeeds.
 */
export function auditEntry(
  { actor, id: requestId, routeOptions, audited }: AuditedRequest,
  at: number,
  change: Pick<AuditEntry, 'targetId' | 'before' | 'after'>,
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

/** The audit entry of a request that creates, changes or removes a record. */
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

export const MAX_AUDITED_IDS = 1_000

const MAX_RECORDS_BYTES = 64 * 1024

/** Many records for an audit entry: their number, the first 1,000 ids, and up to 64 KiB of whole records. */
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
    ids: records.slice(0, MAX_AUDITED_IDS).map(({ id }) => id),
    records: shown,
  }
}

/** Publishes in the live stream the changes that each successful request made. */
export function announceChanges(app: AdminApp, feed: LiveChanges): void {
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
  // The target of a suppression is the id of a deleted user, which must not be published.
  const id = resource === 'suppressions' ? null : targetId
  return { resource, id, action, actorId: actor.id }
}
