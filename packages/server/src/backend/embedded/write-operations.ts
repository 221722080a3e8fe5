import type { DatabaseSync } from 'node:sqlite'
import type { DedupeWindow } from './log/known-message-ids.ts'
import { emptyLog } from './database/empty-log.ts'
import { scrub } from './deletions/scrub.ts'
import { keepDeclined } from './events/write-archive.ts'
import { appendAudit, type AuditWrite, removeAudit } from './audit/write-audit.ts'
import { markKeyUsed, putCatalogRecords, removeCatalogRecord } from './catalog/write-catalog.ts'
import {
  addSuppressions,
  advanceDeletion,
  countLeftOut,
  createDeletion,
  removeSuppressions,
} from './deletions/write-deletions.ts'
import { recordDeliveries } from './deliveries/write-deliveries.ts'
import { addLane } from './deliveries/write-lanes.ts'
import { addIdempotentResponse } from './idempotent-responses/write-idempotent-responses.ts'
import { appendTold, commitEvaluations } from './evaluations/write-evaluations.ts'
import { fillFacts } from './facts/fill-facts.ts'
import { putFactClause, removeFactClause } from './facts/write-fact-clauses.ts'
import { pruneFacts } from './facts/prune-facts.ts'
import { LogNumbering } from './log/log-numbering.ts'
import { ackEvents, appendEvents, eventAppender } from './log/write-log.ts'
import { changeList, forgetComputation } from './memberships/write-memberships.ts'
import { advanceSync, putSync } from './memberships/write-syncs.ts'
import { createNotices, quarantineNotices, recordNotices } from './notices/write-notices.ts'
import { purgeAnonymousEvents, purgeAnonymousProfiles } from './deletions/write-anonymous-purge.ts'
import { purgeUsers } from './deletions/write-purge.ts'
import { applyToProfiles, beginProfiles } from './profiles/write-profiles.ts'
import { quarantineDeliveries } from './quarantine/write-quarantine.ts'
import {
  advanceReplay,
  cancelReplay,
  createReplay,
  retryDelivery,
} from './replays/write-replays.ts'
import { removeOldest } from './upkeep/write-retention.ts'
import { addCounts, removeCounts } from './statistics/write-statistics.ts'
import { addToken, markTokenUsed, removeToken } from './tokens/write-tokens.ts'

/**
 * Every write of the backend. Each entry prepares its statements once and returns the function that performs the
 * operation. Entries that append events share `append`. The thread runs that function inside a transaction, except those in OUTSIDE_OF_TRANSACTIONS.
 */
const OPERATIONS = {
  appendEvents,
  ackEvents,
  keepDeclined,
  addLane,
  recordDeliveries,
  quarantineDeliveries,
  createReplay,
  cancelReplay,
  advanceReplay,
  retryDelivery,
  removeOldest,
  putCatalogRecords,
  removeCatalogRecord,
  addToken,
  removeToken,
  markTokenUsed,
  markKeyUsed,
  appendAudit,
  removeAudit,
  addIdempotentResponse,
  addCounts,
  removeCounts,
  createDeletion,
  advanceDeletion,
  addSuppressions,
  removeSuppressions,
  countLeftOut,
  purgeUsers,
  purgeAnonymousEvents,
  purgeAnonymousProfiles,
  createNotices,
  recordNotices,
  quarantineNotices,
  beginProfiles,
  applyToProfiles,
  putFactClause,
  removeFactClause,
  fillFacts,
  pruneFacts,
  commitEvaluations,
  appendTold,
  changeList,
  forgetComputation,
  advanceSync,
  putSync,
  scrub,
  emptyLog,
}

export type OperationName = keyof typeof OPERATIONS
type Prepared<N extends OperationName> = ReturnType<(typeof OPERATIONS)[N]>
export type OperationInput<N extends OperationName> = Parameters<Prepared<N>>[0]
export type OperationResult<N extends OperationName> = ReturnType<Prepared<N>>

/** Operations that SQLite refuses inside a transaction. */
export const OUTSIDE_OF_TRANSACTIONS: ReadonlySet<OperationName> = new Set<OperationName>([
  'scrub',
  'emptyLog',
])

/** One operation with its input, as it is posted to the writer's thread. */
export interface Operation {
  readonly name: OperationName
  readonly input: unknown
  /** The audit entry of the change, for the same transaction. It is not written if the operation returns false. */
  readonly audit?: AuditWrite | undefined
}

export function prepareOperations(
  db: DatabaseSync,
  options: DedupeWindow,
): { readonly perform: (operation: Operation) => unknown; readonly numbering: LogNumbering } {
  const numbering = new LogNumbering(db)
  const shared = { ...options, append: eventAppender(db, { ...options, numbering }) }
  const prepared = new Map<OperationName, (input: never) => unknown>()
  for (const [name, prepare] of Object.entries(OPERATIONS)) {
    prepared.set(name as OperationName, prepare(db, shared))
  }
  const append = appendAudit(db)
  const perform = ({ name, input, audit }: Operation): unknown => {
    const result = prepared.get(name)!(input as never)
    if (audit !== undefined && result !== false) append(audit)
    return result
  }
  return { perform, numbering }
}
