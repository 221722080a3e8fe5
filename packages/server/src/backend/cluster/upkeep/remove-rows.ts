import { sql, type Transaction } from 'kysely'
import type { Removal } from '../../upkeep.ts'
import { removeEvents } from '../deletions/remove-events.ts'
import type { Reach } from './reach.ts'
import { withoutWaiting } from './without-waiting.ts'

/** Events that one slice looks at. */
const SLICE_EVENTS = 250

export interface RowSlice {
  readonly before: number | undefined
  /** Only events whose ids are after this one, and before `end`. */
  readonly after: string
  readonly end: string
  readonly reach: Reach
}

interface SeenEvent {
  readonly id: string
  readonly mayGo: boolean
}

/** Removes events one by one. The cursor is `null` where it has looked at all of them. */
export async function removeRows(
  transaction: Transaction<unknown>,
  slice: RowSlice,
): Promise<Removal> {
  const seen = await look(transaction, slice)
  const ids = seen.filter(({ mayGo }) => mayGo).map(({ id }) => id)
  // What waits stays for long: it is left out before anything is locked, which writes to each row.
  const removable = await withoutWaiting(transaction, ids)
  const removed = removable.length === 0 ? 0 : await remove(transaction, removable)
  return { removed, cursor: seen.length < SLICE_EVENTS ? null : seen.at(-1)!.id }
}

async function look(
  transaction: Transaction<unknown>,
  { before, after, end, reach }: RowSlice,
): Promise<readonly SeenEvent[]> {
  const { rows } = await sql<SeenEvent>`
    SELECT id, log_position < ${finite(reach.ackedBefore)} AND seq <= ${finite(reach.through)}
      AND received_at < ${finite(before ?? Infinity)} AS "mayGo"
    FROM events WHERE id > ${after} AND id < ${end} ORDER BY id LIMIT ${SLICE_EVENTS}`.execute(
    transaction,
  )
  return rows
}

/** A transaction that records a delivery of an event has locked its row: those events are left for another walk. */
async function remove(transaction: Transaction<unknown>, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ readonly id: string }>`
    SELECT id FROM events
    WHERE id = ANY(${ids}::text[]) AND id >= ${ids[0]} AND id <= ${ids.at(-1)}
    FOR UPDATE SKIP LOCKED`.execute(transaction)
  // From here on, no transaction can make a delivery of them wait.
  const removable = await withoutWaiting(
    transaction,
    rows.map(({ id }) => id),
  )
  if (removable.length > 0) await removeEvents(transaction, removable)
  return removable.length
}

/** For a column of bigint. */
function finite(bound: number): number {
  return Math.min(bound, Number.MAX_SAFE_INTEGER)
}
