import { sql, type Transaction } from 'kysely'
import type { DeletedIds, Deletion, DeletionRequest, DeletionStep } from '../../deletions.ts'
import { fromText, toText } from '../postgres/text.ts'

/** A row of `deletions`. */
export interface DeletionRow {
  readonly id: string
  readonly step: DeletionStep
  readonly started_at: number | null
  readonly suppressed_at: number | null
  readonly purged_at: number | null
  readonly notified_at: number | null
  readonly purged_events: number
  readonly purged_anonymous_events: number
  readonly purged_deliveries: number
  readonly document: string
}

export function deletionOf(row: DeletionRow): Deletion {
  return {
    ...(JSON.parse(fromText(row.document)) as DeletionRequest),
    step: row.step,
    startedAt: row.started_at,
    suppressedAt: row.suppressed_at,
    purgedAt: row.purged_at,
    notifiedAt: row.notified_at,
    purged: {
      events: row.purged_events,
      anonymousEvents: row.purged_anonymous_events,
      deliveries: row.purged_deliveries,
    },
  }
}

export async function createDeletion(
  transaction: Transaction<unknown>,
  request: DeletionRequest,
  { userIds, anonymousIds = [] }: DeletedIds,
): Promise<void> {
  const { id, suppress } = request
  const step: DeletionStep = suppress ? 'suppress' : 'purge'
  await sql`INSERT INTO deletions (id, step, document)
    VALUES (${toText(id)}, ${step}, ${toText(JSON.stringify(request))})`.execute(transaction)
  for (const [kind, ids] of [
    ['user', userIds],
    ['anonymous', anonymousIds],
  ] as const)
    await sql`INSERT INTO deletion_ids SELECT DISTINCT ${toText(id)}, ${kind}, each.id
      FROM unnest(${ids.map(toText)}::text[]) AS each (id)`.execute(transaction)
}

/** For each step, the one before it, and the column for the time when that one was done. */
const STEPS: Readonly<
  Partial<Record<DeletionStep, readonly [from: DeletionStep, doneAt: string]>>
> = {
  purge: ['suppress', 'suppressed_at'],
  notify: ['purge', 'purged_at'],
  done: ['notify', 'notified_at'],
}

interface Move {
  readonly id: string
  readonly to: DeletionStep
  readonly now: number
  /** Where the purge ends, if `to` is that step. */
  readonly through: number | null
}

/** Records that the deletion begins, where `to` is its step already; otherwise that `to` is its next step. */
export async function advanceDeletion(
  transaction: Transaction<unknown>,
  { id, to, now, through }: Move,
): Promise<void> {
  const endPurge = sql`purge_through = coalesce(${through}, purge_through)`
  const begun = await sql`UPDATE deletions SET started_at = ${now}, ${endPurge}
    WHERE id = ${toText(id)} AND step = ${to} AND started_at IS NULL`.execute(transaction)
  const [from, doneAt] = STEPS[to] ?? []
  if (begun.numAffectedRows !== 0n || from === undefined || doneAt === undefined) return
  await sql`UPDATE deletions SET step = ${to}, ${sql.ref(doneAt)} = ${now}, ${endPurge}
    WHERE id = ${toText(id)} AND step = ${from}`.execute(transaction)
}
