import type { DatabaseSync } from 'node:sqlite'
import type { Purge } from '../../deletions.ts'
import { countPurged, type FoundEvent, type ProfilesPurge } from '../../store/deletions.ts'
import { eventsOfOthers, forgetEvents } from '../../store/profiles/forget-events.ts'
import { removeIdentities, removeUsers } from '../../store/profiles/remove-identities.ts'
import { sql } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { removedRowsCounter } from '../database/missing-rows.ts'
import { eventRemoval } from '../events/write-archive.ts'

/** How long one write may take. Every other write waits for it. */
const SLICE_MS = 5

/** Handles items until the time is up, or one is not done. Returns the number of those that are. */
async function forSlice<T>(
  items: readonly T[],
  handle: (item: T) => Promise<boolean> | boolean,
): Promise<number> {
  const deadline = performance.now() + SLICE_MS
  for (const [done, item] of items.entries()) {
    if (done > 0 && performance.now() >= deadline) return done
    if (!(await handle(item))) return done
  }
  return items.length
}

/** The seq of the last event. The writer performs every append either before this or after it. */
export async function lastSeq(tx: Tx): Promise<number> {
  const [row] = await tx.all(
    sql<{ readonly seq: number }>`SELECT coalesce(max(seq), 0) AS seq FROM events`,
  )
  return row!.seq
}

/** As `PurgeEngine.removeProfiles`. */
export function purgeProfiles(tx: Tx, { subjects, sourceIds, at }: ProfilesPurge): Promise<number> {
  return forSlice(subjects, (subject) =>
    subject.kind === 'user'
      ? removeUsers(tx, { userIds: [subject.id], sourceIds, at })
      : removeIdentities(tx, { ids: [subject], sourceIds, at }),
  )
}

interface EventsPurge extends Pick<Purge, 'deletionId'> {
  readonly events: readonly FoundEvent[]
  /** Now. */
  readonly at: number
}

/** As `PurgeEngine.removeEvents`. */
export function purgeEvents(
  db: DatabaseSync,
  { tx }: { readonly tx: Tx },
): (purge: EventsPurge) => Promise<number> {
  const remove = eventRemoval(db)
  const notMissing = removedRowsCounter(db)
  return async ({ deletionId, events, at }) => {
    const purged = { events: 0, anonymousEvents: 0, deliveries: 0 }
    const removedEvents: FoundEvent[] = []
    const done = await forSlice(events, (event) => {
      const removed = remove(event.id)
      notMissing([removed])
      purged.events += removed.events
      purged.deliveries += removed.deliveries
      if (event.userId === null) purged.anonymousEvents += removed.events
      if (removed.events > 0) removedEvents.push(event)
      return true
    })
    await forgetEvents(tx, eventsOfOthers(removedEvents), at)
    await countPurged(tx, deletionId, purged)
    return done
  }
}
