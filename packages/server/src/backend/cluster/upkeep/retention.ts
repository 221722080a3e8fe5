import { sql, type Transaction } from 'kysely'
import type { Removal, RemovalSlice } from '../../upkeep.ts'
import { removeEvents } from '../deletions/remove-events.ts'
import type { StreamState } from '../jetstream/log-stream.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { DAY_MS, dayOf } from '../../days.ts'
import { idBound } from '../../store/rows.ts'
import { hasDay, isOfEvents, startOf } from '../postgres/days.ts'
import { dropDay, type DropResult, readRemovalBounds, type RemovalBounds } from './drop-day.ts'
import { type Days, isLockTimeout, readDays } from './partitions.ts'

interface RetentionOptions {
  readonly postgres: Postgres
  readonly log: () => Promise<StreamState>
}

/** Without `before`, only a day with at most this share of the data is dropped, so that not much more than needed is removed. */
const SMALL_SHARE = 1 / 8

/** Removes the oldest events, by day or one by one. Nodes take turns. */
export async function removeOldest(
  options: RetentionOptions,
  { before, cursor = '' }: RemovalSlice,
): Promise<Removal> {
  const plan = planRemoval({ before, after: cursor }, await readDays(options.postgres))
  if (plan === undefined) return { removed: 0, cursor: null }
  const { day, end, isLast } = plan
  if (day !== undefined && (before !== undefined || (await isSmall(options, day)))) {
    const dropped = await drop(options, day)
    if (dropped === 'blocked') return { removed: 0, cursor: null }
    if (dropped !== 'too_many_waiting') return { removed: dropped, cursor: isLast ? null : end }
  }
  const { removed, cursor: next } = await removeSlice(options, { before, after: cursor, end })
  return { removed, cursor: next ?? (isLast ? null : end) }
}

async function isSmall({ postgres }: RetentionOptions, day: number): Promise<boolean> {
  const [row] = await postgres.run(sql<{ readonly bytes: number; readonly ofDay: number }>`
    SELECT coalesce(sum(bytes), 0)::bigint AS bytes,
      coalesce(sum(bytes) FILTER (WHERE day = ${day}), 0)::bigint AS "ofDay" FROM tallies`)
  return row!.ofDay <= row!.bytes * SMALL_SHARE
}

async function drop({ postgres, log }: RetentionOptions, day: number): Promise<DropResult> {
  const bounds = await postgres.read((db) => readRemovalBounds(db, log))
  try {
    return await postgres.write(async (transaction) => {
      await lock(transaction, 'upkeep')
      // Another node may have dropped the day in the meantime.
      return (await hasDay(transaction, day)) ? dropDay(transaction, day, bounds) : 0
    })
  } catch (error) {
    if (isLockTimeout(error)) return 'blocked'
    throw error
  }
}

export interface RemovalPlan {
  /** The day to drop. Otherwise events are removed one by one. */
  readonly day?: number
  readonly end: string
  readonly isLast: boolean
}

interface RemovalCursor {
  /** Only events received before this time; `undefined` for any age. */
  readonly before: number | undefined
  /** The id or bound that the walk has reached; empty at its start. */
  readonly after: string
}

/** Sorts after all event ids. */
const LAST = 'evt_~'
/** With a retention of this many days or more, a day is kept until all of it is old enough, so that it can be dropped. */
const WHOLE_DAYS = 2

/** Plans the next slice of a walk by id, from leftovers in the default partition to the newest day; `undefined` at the end. */
export function planRemoval(
  { before, after }: RemovalCursor,
  { today, days }: Days,
): RemovalPlan | undefined {
  const end = before === undefined ? LAST : endOfWalk(before, { today, days })
  if (after >= end) return undefined
  const day = days.find((each) => startOf('evt', each + 1) > after)
  if (day === undefined || startOf('evt', day) >= end) return { end, isLast: true }
  const start = startOf('evt', day)
  if (after < start) return { end: start, isLast: false }
  const next = startOf('evt', day + 1)
  // Late events from yesterday may still arrive.
  const isWhole = next <= end && day < today - 1
  const part = { end: next < end ? next : end, isLast: next >= end }
  return after === start && isWhole ? { day, ...part } : part
}

function endOfWalk(before: number, { today, days }: Days): string {
  const day = dayOf(before)
  const staysWhole = days.includes(day) && today - day >= WHOLE_DAYS
  return idBound('evt', staysWhole ? day * DAY_MS : before)
}

const SLICE_EVENTS = 250

type RowSlice = RemovalCursor & Pick<RemovalPlan, 'end'>

/** Removes events between `after` and `end` one by one. The cursor is `null` at the end. */
async function removeSlice({ postgres, log }: RetentionOptions, slice: RowSlice): Promise<Removal> {
  const bounds = await postgres.read((db) => readRemovalBounds(db, log))
  return postgres.write(async (transaction) => {
    await lock(transaction, 'upkeep')
    const seen = await readSlice(transaction, slice, bounds)
    const ids = seen.filter(({ isRemovable }) => isRemovable).map(({ id }) => id)
    // Locking writes to each row, so waiting events, which may stay for a long time, are filtered out first.
    const removable = await withoutWaiting(transaction, ids)
    const removed = removable.length === 0 ? 0 : await remove(transaction, removable)
    return { removed, cursor: seen.length < SLICE_EVENTS ? null : seen.at(-1)!.id }
  })
}

async function readSlice(
  transaction: Transaction<unknown>,
  { before, after, end }: RowSlice,
  { ackedBefore, through }: RemovalBounds,
): Promise<readonly { readonly id: string; readonly isRemovable: boolean }[]> {
  const { rows } = await sql<{ readonly id: string; readonly isRemovable: boolean }>`
    SELECT id, log_position < ${finite(ackedBefore)} AND seq <= ${finite(through)}
      AND received_at < ${finite(before ?? Infinity)} AS "isRemovable"
    FROM events WHERE id > ${after} AND id < ${end} ORDER BY id LIMIT ${SLICE_EVENTS}`.execute(
    transaction,
  )
  return rows
}

function finite(bound: number): number {
  return Math.min(bound, Number.MAX_SAFE_INTEGER)
}

/** Skips events that are locked because a transaction is recording a delivery of them. */
async function remove(transaction: Transaction<unknown>, ids: readonly string[]): Promise<number> {
  const { rows } = await sql<{ readonly id: string }>`
    SELECT id FROM events
    WHERE id = ANY(${ids}::text[]) AND id >= ${ids[0]} AND id <= ${ids.at(-1)}
    FOR UPDATE SKIP LOCKED`.execute(transaction)
  // Now that they are locked, no transaction can add waiting deliveries.
  const removable = await withoutWaiting(
    transaction,
    rows.map(({ id }) => id),
  )
  if (removable.length > 0) await removeEvents(transaction, removable)
  return removable.length
}

async function withoutWaiting(
  transaction: Transaction<unknown>,
  eventIds: readonly string[],
): Promise<readonly string[]> {
  if (eventIds.length === 0) return []
  const { rows } = await sql<{ readonly event_id: string }>`
    SELECT DISTINCT event_id FROM deliveries WHERE is_waiting AND ${isOfEvents(eventIds)}`.execute(
    transaction,
  )
  const waiting = new Set(rows.map((row) => row.event_id))
  return eventIds.filter((id) => !waiting.has(id))
}
