import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { type Counts, sumOf } from '../statistics.ts'
import { putAlertStates } from '../store/alert-states.ts'
import { appendAudit, removeAudit, type SealedEntry } from '../store/audit.ts'
import { putRecords, removeRecord } from '../store/catalog.ts'
import { advanceDeletion, createDeletion } from '../store/deletions.ts'
import { addNames, beginNames } from '../store/event-names.ts'
import { addResponse, releaseKey, reserveKey } from '../store/idempotent-responses.ts'
import { markKeyUsed } from '../store/key-uses.ts'
import { createNotices, quarantineNotices } from '../store/notices.ts'
import { addPurgedIds, forgetPurges } from '../store/purged-users.ts'
import { quarantineItems } from '../store/quarantine.ts'
import { advanceReplay, cancelReplay, createReplay, retryDelivery } from '../store/replays.ts'
import { parsedJson } from '../store/rows.ts'
import { addCounts, removeCounts } from '../store/statistics.ts'
import { changeList, forgetComputation } from '../store/profiles/memberships.ts'
import { fillFacts, pruneFacts, putFactClause, removeFactClause } from '../store/profiles/facts.ts'
import { applyToProfiles, beginProfiles } from '../store/profiles/stored-profiles.ts'
import { maintainTraitIndexes, useTraitIndex } from '../store/profiles/traits.ts'
import type { Write } from '../store/store.ts'
import { addSuppressions, countSuppressed, endSuppressions } from '../store/suppressions.ts'
import {
  appendAnnouncements,
  commitEvaluations,
  LogNumbering,
  ackEvents,
  type EventAppender,
  eventAppender,
} from './log/write-log.ts'
import { advanceSync, putSync } from '../store/syncs.ts'
import { addToken, markTokenUsed, removeToken } from '../store/tokens.ts'
import type { DedupeWindow } from './log/known-message-ids.ts'
import { emptyLog } from './database/write-ahead-log.ts'
import { scrub } from './deletions/scrub.ts'
import { storeDeclined } from './events/write-archive.ts'
import { addLane, recordDeliveries, recordNotices } from './deliveries/write-deliveries.ts'
import { lastSeq, purgeEvents, purgeProfiles } from './deletions/purge-events.ts'
import { removeOldest } from './upkeep/write-retention.ts'
import { SqliteTx } from './sqlite-store.ts'

/** The writes that only SQLite has. Each prepares its statements once. All that append events share `append`. */
const OPERATIONS = {
  appendEvents: (_db: DatabaseSync, { append }: { readonly append: EventAppender }) => append,
  ackEvents,
  storeDeclined,
  addLane,
  recordDeliveries,
  removeOldest,
  purgeEvents,
  recordNotices,
  commitEvaluations,
  appendAnnouncements,
  scrub,
  emptyLog,
}

/** The writes on a `Tx`, most of them shared with PostgreSQL, found by function name. */
const WRITES: readonly Write<never, unknown>[] = [
  addToken,
  removeToken,
  markTokenUsed,
  appendAudit,
  removeAudit,
  addResponse,
  reserveKey,
  releaseKey,
  addCounts,
  removeCounts,
  putAlertStates,
  beginNames,
  addNames,
  putSync,
  advanceSync,
  createNotices,
  quarantineNotices,
  createReplay,
  cancelReplay,
  advanceReplay,
  retryDelivery,
  beginProfiles,
  applyToProfiles,
  putFactClause,
  removeFactClause,
  fillFacts,
  pruneFacts,
  changeList,
  forgetComputation,
  useTraitIndex,
  maintainTraitIndexes,
  putRecords,
  removeRecord,
  markKeyUsed,
  quarantineItems,
  addSuppressions,
  endSuppressions,
  countSuppressed,
  createDeletion,
  advanceDeletion,
  lastSeq,
  purgeProfiles,
  addPurgedIds,
  forgetPurges,
]

export type OperationName = keyof typeof OPERATIONS
type Prepared<N extends OperationName> = ReturnType<(typeof OPERATIONS)[N]>
export type OperationInput<N extends OperationName> = Parameters<Prepared<N>>[0]
export type OperationResult<N extends OperationName> = Awaited<ReturnType<Prepared<N>>>

export const OUTSIDE_OF_TRANSACTIONS: ReadonlySet<string> = new Set(['scrub', 'emptyLog'])

export interface Operation {
  readonly name: string
  readonly input: unknown
  readonly audit?: SealedEntry | undefined
}

/** @returns `perform`, whose result may be a settled promise */
export function prepareOperations(
  db: DatabaseSync,
  options: DedupeWindow,
): { readonly perform: (operation: Operation) => unknown; readonly numbering: LogNumbering } {
  const numbering = new LogNumbering(db)
  const tx = new SqliteTx(db)
  const shared = { ...options, tx, append: eventAppender(db, { ...options, numbering }) }
  const prepared = new Map<string, (input: never) => unknown>()
  for (const [name, prepare] of Object.entries(OPERATIONS)) prepared.set(name, prepare(db, shared))
  db.function('sum_of_counts', { deterministic: true }, sumOfCounts)
  for (const write of WRITES) prepared.set(write.name, (input) => write(tx, input))
  const perform = ({ name, input, audit }: Operation): unknown => {
    const result = prepared.get(name)!(input as never)
    return audit === undefined ? result : withAudit(result, audit)
  }
  const withAudit = async (performed: unknown, audit: SealedEntry): Promise<unknown> => {
    const result = await performed
    if (result !== false) await appendAudit(tx, audit)
    return result
  }
  return { perform, numbering }
}

/** The function of this name in PostgreSQL. Corrupted counts are treated as empty. */
function sumOfCounts(a: SQLOutputValue, b: SQLOutputValue): string {
  return JSON.stringify(sumOf((parsedJson(a) ?? {}) as Counts, (parsedJson(b) ?? {}) as Counts))
}
