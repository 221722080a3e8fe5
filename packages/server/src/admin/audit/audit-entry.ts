import { newId } from '@hookline/protocol'
import type { FastifyRequest } from 'fastify'
import type { AuditEntry } from '../../backend/audit.ts'

/** The part of a request that its entry needs. */
export type AuditedRequest = Pick<FastifyRequest, 'actor' | 'id' | 'routeOptions' | 'audited'>

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
