import type { DatabaseSync } from 'node:sqlite'
import { firstSeqOf, SEGMENT, segmentOf } from '../../store/event-order.ts'
import { removeUsers } from '../../store/profiles/remove-identities.ts'
import { FORGET_SEARCH_TEXTS } from '../../store/replays.ts'
import type { Tx } from '../../store/store.ts'
import { eventPurge, type PurgedEvents, purgeCounter } from './purge-event.ts'

/** How long one slice may take. Every other write waits for it. */
const SLICE_MS = 5
const READ_EVENTS = 200

/** Where a slice begins: at which user, in the column `user_id` or `previous_id`, and after which event. */
export interface PurgePlace {
  readonly user: number
  readonly column: 0 | 1
  readonly afterSeq: number
}

export interface PurgeInput {
  readonly deletionId: string
  readonly userIds: readonly string[]
  readonly sourceIds: readonly string[] | null
  /** The seq of the last event that it may remove. */
  readonly through: number
  /** Now. */
  readonly at: number
  readonly place: PurgePlace
}

/**
 * Removes a slice of what was appended of users up to a seq. Returns where the next slice begins; `null` at the end.
 * A user's profiles go before the first of the events, so that nothing is computed of them any more, and once more with the
 * last: events that were not applied yet may have made a profile meanwhile. The first slice also removes the search texts of ended replays: they may contain data of any user.
 */
export function purgeUsers(
  db: DatabaseSync,
  { tx }: { readonly tx: Tx },
): (input: PurgeInput) => Promise<PurgePlace | null> {
  const purgeUser = userPurge(db)
  const count = purgeCounter(db)
  const forgetTexts = db.prepare(FORGET_SEARCH_TEXTS)
  return async (input) => {
    const { sourceIds, at } = input
    const deadline = performance.now() + SLICE_MS
    if (isBeginning(input.place)) forgetTexts.run()
    const removed: PurgedEvents = { events: 0, anonymousEvents: 0, deliveries: 0 }
    let place: PurgePlace | null = input.place
    // At least one step, however long the machine has kept the thread waiting.
    do {
      const userIds = [input.userIds[place.user]!]
      if (place.column === 0 && place.afterSeq === 0)
        await removeUsers(tx, { userIds, sourceIds, at })
      const reachedSeq = purgeUser(input, place, { deadline, removed })
      if (place.column === 1 && reachedSeq === null)
        await removeUsers(tx, { userIds, sourceIds, at })
      place =
        reachedSeq === null
          ? placeAfter(place, input.userIds.length)
          : { ...place, afterSeq: reachedSeq }
    } while (place !== null && performance.now() < deadline)
    count(input.deletionId, removed)
    return place
  }
}

interface Slice {
  readonly deadline: number
  readonly removed: PurgedEvents
}

/** Prepares the purge of one user's events. It returns the seq that it reached; `null` where there are no more. */
function userPurge(
  db: DatabaseSync,
): (input: PurgeInput, place: PurgePlace, slice: Slice) => number | null {
  // Two selects: SQLite finds one end of a table at once, but reads the whole table for MIN and MAX together.
  const bounds = db.prepare(
    'SELECT (SELECT MIN(seq) FROM events) AS least, (SELECT MAX(seq) FROM events) AS last',
  )
  const selects = ['user_id', 'previous_id'].map((column) =>
    db.prepare(
      `SELECT seq, id, source_id, user_id, origin IS NOT NULL AS is_computed FROM events
       WHERE ${SEGMENT} = ? AND ${column} = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${READ_EVENTS}`,
    ),
  )
  const purgeEvent = eventPurge(db)
  return (input, { user, column, afterSeq }, { deadline, removed }) => {
    const { least, last } = bounds.get()!
    const lastSeq = Math.min(Number(last ?? 0), input.through)
    let reachedSeq = Math.max(afterSeq, Number(least ?? 0) - 1)
    while (reachedSeq < lastSeq) {
      const segment = segmentOf(reachedSeq + 1)
      const rows = selects[column]!.all(segment, input.userIds[user]!, reachedSeq, lastSeq)
      for (const row of rows) {
        purgeEvent(row, input.sourceIds, removed)
        if (performance.now() >= deadline) return Number(row['seq'])
      }
      reachedSeq =
        rows.length < READ_EVENTS ? firstSeqOf(segment + 1) - 1 : Number(rows.at(-1)!['seq'])
      if (performance.now() >= deadline) return reachedSeq
    }
    return null
  }
}

function isBeginning({ user, column, afterSeq }: PurgePlace): boolean {
  return user === 0 && column === 0 && afterSeq === 0
}

function placeAfter({ user, column }: PurgePlace, users: number): PurgePlace | null {
  if (column === 0) return { user, column: 1, afterSeq: 0 }
  return user + 1 < users ? { user: user + 1, column: 0, afterSeq: 0 } : null
}
