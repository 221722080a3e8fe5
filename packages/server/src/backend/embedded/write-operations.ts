import type { DatabaseSync } from 'node:sqlite'
import type { DedupeWindow } from './known-message-ids.ts'
import { scrub } from './scrub.ts'
import { keepDeclined } from './write-declined.ts'
import { appendAudit, removeAudit } from './write-audit.ts'
import { putCatalogRecord, removeCatalogRecord } from './write-catalog.ts'
import { advanceDeletion, createDeletion } from './write-deletions.ts'
import { recordDeliveries, unholdDeliveries } from './write-deliveries.ts'
import { keepAnswer } from './write-kept-answers.ts'
import { markKeyUsed } from './write-key-uses.ts'
import { ackEvents, appendEvents } from './write-log.ts'
import { createNotices, recordNotices, setNoticesAside, unholdNotices } from './write-notices.ts'
import { purgeUsers } from './write-purge.ts'
import { setAside } from './write-quarantine.ts'
import { advanceReplay, cancelReplay, createReplay, retryDelivery } from './write-replays.ts'
import { removeOldest } from './write-retention.ts'
import { addCounts, removeCounts } from './write-statistics.ts'
import { addSuppressions, removeSuppressions } from './write-suppressions.ts'
import { addToken, markTokenUsed, removeToken } from './write-tokens.ts'

/**
 * Everything that is ever written. Each operation prepares its statements once for a database and
 * gives back the function that does the work, inside a transaction that is not its own, but for those
 * in OUTSIDE_OF_TRANSACTIONS.
 */
const OPERATIONS = {
  appendEvents,
  ackEvents,
  keepDeclined,
  recordDeliveries,
  unholdDeliveries,
  setAside,
  createReplay,
  cancelReplay,
  advanceReplay,
  retryDelivery,
  removeOldest,
  putCatalogRecord,
  removeCatalogRecord,
  addToken,
  removeToken,
  markTokenUsed,
  markKeyUsed,
  appendAudit,
  removeAudit,
  keepAnswer,
  addCounts,
  removeCounts,
  createDeletion,
  advanceDeletion,
  addSuppressions,
  removeSuppressions,
  purgeUsers,
  createNotices,
  recordNotices,
  unholdNotices,
  setNoticesAside,
  scrub,
}

export type OperationName = keyof typeof OPERATIONS
type Prepared<N extends OperationName> = ReturnType<(typeof OPERATIONS)[N]>
export type OperationInput<N extends OperationName> = Parameters<Prepared<N>>[0]
export type OperationResult<N extends OperationName> = ReturnType<Prepared<N>>

/** What SQLite takes only while no transaction is open. */
export const OUTSIDE_OF_TRANSACTIONS: ReadonlySet<OperationName> = new Set<OperationName>(['scrub'])

/** One piece of work for the writer, as it crosses to its thread. */
export interface Operation {
  readonly name: OperationName
  readonly input: unknown
}

export function prepareOperations(
  db: DatabaseSync,
  options: DedupeWindow,
): (operation: Operation) => unknown {
  const prepared = new Map<OperationName, (input: never) => unknown>()
  for (const [name, prepare] of Object.entries(OPERATIONS)) {
    prepared.set(name as OperationName, prepare(db, options))
  }
  return ({ name, input }) => prepared.get(name)!(input as never)
}
