import type { DatabaseSync } from 'node:sqlite'
import { removeIdentities } from '../../store/profiles/remove-identities.ts'
import { FORGET_SEARCH_TEXTS } from '../../store/replays.ts'
import type { Tx } from '../../store/store.ts'
import { eventPurge, type PurgedEvents, purgeCounter } from './purge-event.ts'

/** How long one slice may take. Every other write waits for it. */
const SLICE_MS = 5

interface AnonymousProfiles {
  readonly anonymousIds: readonly string[]
  readonly sourceIds: readonly string[] | null
  /** Now. */
  readonly at: number
}

/** Removes the profiles that have these anonymous ids, and the search texts of ended replays. */
export function purgeAnonymousProfiles(
  db: DatabaseSync,
  { tx }: { readonly tx: Tx },
): (purge: AnonymousProfiles) => Promise<void> {
  const forgetTexts = db.prepare(FORGET_SEARCH_TEXTS)
  return async ({ anonymousIds, ...rest }) => {
    forgetTexts.run()
    const ids = anonymousIds.map((id) => ({ kind: 'anonymous' as const, id }))
    await removeIdentities(tx, { ids, ...rest })
  }
}

interface AnonymousEvents {
  readonly deletionId: string
  readonly sourceIds: readonly string[] | null
  /** The events that have one of the anonymous ids. */
  readonly seqs: readonly number[]
  /** Now. */
  readonly at: number
}

/**
 * Removes a slice of events, and the profiles of their users: they were made of these events, too. Returns how many of
 * the seqs are done.
 */
export function purgeAnonymousEvents(
  db: DatabaseSync,
  { tx }: { readonly tx: Tx },
): (purge: AnonymousEvents) => Promise<number> {
  const find = db.prepare(
    `SELECT id, source_id, user_id, origin IS NOT NULL AS is_computed FROM events WHERE seq = ?`,
  )
  const purgeEvent = eventPurge(db)
  const count = purgeCounter(db)
  return async ({ deletionId, sourceIds, seqs, at }) => {
    const deadline = performance.now() + SLICE_MS
    const purged: PurgedEvents = { events: 0, anonymousEvents: 0, deliveries: 0 }
    const users = new Set<string>()
    let done = 0
    // At least one event, however long the machine has kept the thread waiting.
    do {
      const row = find.get(seqs[done++]!)
      if (row === undefined || !purgeEvent(row, sourceIds, purged)) continue
      if (row['user_id'] !== null) users.add(String(row['user_id']))
    } while (done < seqs.length && performance.now() < deadline)
    const ids = [...users].map((id) => ({ kind: 'user' as const, id }))
    await removeIdentities(tx, { ids, sourceIds, at })
    count(deletionId, purged)
    return done
  }
}
