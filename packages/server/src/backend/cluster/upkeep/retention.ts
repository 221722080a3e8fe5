import { sql, type Transaction } from 'kysely'
import type { Removal, RemovalSlice } from '../../upkeep.ts'
import { removeEvents } from '../deletions/remove-events.ts'
import type { StreamState } from '../jetstream/log-stream.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { boundAt, DAY_MS, dayOf, hasDay, isOfEvents, startOf } from '../postgres/days.ts'
import { dropDay, type DropResult, type Reach, readReach } from './drop-day.ts'
import { type Days, isLockTimeout, readDays } from './partitions.ts'

interface RetentionOptions {
  readonly postgres: Postgres
  readonly log: () => Promise<StreamState>
}

/** Without a time, a day is dropped as a whole where it is no more than this share of the data: the rest of it stays. */
const SMALL_SHARE = 1 / 8

/** Removes the oldest events, by day or one by one. Slices of several nodes take turns. */
export async function removeOldest(
  options: RetentionOptions,
  { before, cursor = '' }: RemovalSlice,
): Promise<Removal> {
  const plan = planRemoval({ before, after: cursor }, await readDays(options.postgres))
  if (plan.kind === 'end') return { removed: 0, cursor: null }
  if (plan.kind === 'day' && (before !== undefined || (await isSmall(options, plan.day)))) {
    const dropped = await drop(options, plan.day)
    if (dropped === undefined || dropped.kind === 'not reached') return { removed: 0, cursor: null }
    if (dropped.kind === 'dropped')
      return { removed: dropped.removed, cursor: plan.isLast ? null : plan.end }
  }
  const { removed, cursor: next } = await removeSlice(options, {
    before,
    after: cursor,
    end: plan.end,
  })
  return { removed, cursor: next ?? (plan.isLast ? null : plan.end) }
}

async function isSmall({ postgres }: RetentionOptions, day: number): Promise<boolean> {
  const [row] = await postgres.run(sql<{ readonly bytes: number; readonly ofDay: number }>`
    SELECT coalesce(sum(bytes), 0)::bigint AS bytes,
      coalesce(sum(bytes) FILTER (WHERE day = ${day}), 0)::bigint AS "ofDay" FROM tallies`)
  return row!.ofDay <= row!.bytes * SMALL_SHARE
}

/** `undefined` where a table was in use for too long. */
async function drop(
  { postgres, log }: RetentionOptions,
  day: number,
): Promise<DropResult | undefined> {
  const reach = await postgres.read((db) => readReach(db, log))
  try {
    return await postgres.write(async (transaction) => {
      await lock(transaction, 'upkeep')
      // Another node may have dropped it meanwhile.
      if (!(await hasDay(transaction, day))) return { kind: 'dropped', removed: 0 } as const
      return dropDay(transaction, day, reach)
    })
  } catch (error) {
    if (isLockTimeout(error)) return undefined
    throw error
  }
}

/** What the next slice of a walk does, from `after` to `end`. */
export type RemovalPlan =
  /** `rows` looks at the events in between; `day` drops the partitions of a day, or does the same. */
  | { readonly kind: 'rows'; readonly end: string; readonly isLast: boolean }
  | { readonly kind: 'day'; readonly day: number; readonly end: string; readonly isLast: boolean }
  | { readonly kind: 'end' }

interface RemovalPlace {
  /** Only what was received before this time; of any age where it is absent. */
  readonly before: number | undefined
  /** The bound or the id that the walk has reached; empty at its beginning. */
  readonly after: string
}

/** After the ids of every event. */
const LAST = 'evt_~'
/** What is kept for so many days or longer may be kept to the end of its day. */
const WHOLE_DAYS = 2

/**
 * The next slice. A walk goes by id, from the rests of old days in the default partition to the newest day. A day that has to go is
 * dropped as a whole; so that this is the rule, the events of the last day stay until all of it is old enough. They go one by one
 * where they are kept for less than WHOLE_DAYS.
 */
export function planRemoval({ before, after }: RemovalPlace, { today, days }: Days): RemovalPlan {
  const end = before === undefined ? LAST : endOfWalk(before, { today, days })
  if (after >= end) return { kind: 'end' }
  const day = days.find((each) => startOf('evt', each + 1) > after)
  if (day === undefined || startOf('evt', day) >= end) return { kind: 'rows', end, isLast: true }
  const start = startOf('evt', day)
  if (after < start) return { kind: 'rows', end: start, isLast: false }
  const next = startOf('evt', day + 1)
  // Late events of yesterday are still on their way.
  const isWhole = next <= end && day < today - 1
  const part = { end: next < end ? next : end, isLast: next >= end }
  return after === start && isWhole ? { kind: 'day', day, ...part } : { kind: 'rows', ...part }
}

function endOfWalk(before: number, { today, days }: Days): string {
  const day = dayOf(before)
  const staysWhole = days.includes(day) && today - day >= WHOLE_DAYS
  return boundAt('evt', staysWhole ? day * DAY_MS : before)
}

/** Events that one slice looks at. */
const SLICE_EVENTS = 250

/** Only events whose ids are after `after`, and before `end`. */
interface RowSlice extends RemovalPlace {
  readonly end: string
}

/** Removes events one by one. The cursor is `null` where it has looked at all of them. */
async function removeSlice({ postgres, log }: RetentionOptions, slice: RowSlice): Promise<Removal> {
  const reach = await postgres.read((db) => readReach(db, log))
  return postgres.write(async (transaction) => {
    await lock(transaction, 'upkeep')
    const seen = await look(transaction, slice, reach)
    const ids = seen.filter(({ mayGo }) => mayGo).map(({ id }) => id)
    // What waits stays for long: it is left out before anything is locked, which writes to each row.
    const removable = await withoutWaiting(transaction, ids)
    const removed = removable.length === 0 ? 0 : await remove(transaction, removable)
    return { removed, cursor: seen.length < SLICE_EVENTS ? null : seen.at(-1)!.id }
  })
}

async function look(
  transaction: Transaction<unknown>,
  { before, after, end }: RowSlice,
  { ackedBefore, through }: Reach,
): Promise<readonly { readonly id: string; readonly mayGo: boolean }[]> {
  const { rows } = await sql<{ readonly id: string; readonly mayGo: boolean }>`
    SELECT id, log_position < ${finite(ackedBefore)} AND seq <= ${finite(through)}
      AND received_at < ${finite(before ?? Infinity)} AS "mayGo"
    FROM events WHERE id > ${after} AND id < ${end} ORDER BY id LIMIT ${SLICE_EVENTS}`.execute(
    transaction,
  )
  return rows
}

/** For a column of bigint. */
function finite(bound: number): number {
  return Math.min(bound, Number.MAX_SAFE_INTEGER)
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

/** Those of the events that have no delivery with a part that waits. */
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
