import type { EventType } from '@hookline/protocol'
import type { FoundEvent } from '../deletions.ts'
import { numbersIn } from '../dialect.ts'
import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'
import { countsIn, numbersOf, profilesPosition, putTraits, touchProfiles } from './identities.ts'
import { spaceOfEach } from './remove-identities.ts'
import { traitsIn } from './traits.ts'

interface CountedIdentityRow {
  readonly id: number
  readonly profile: number
  readonly counts: string
  readonly traits: string | null
}

/** An event with a userId that a purge found by its anonymousId. */
type EventOfUser = FoundEvent & { readonly userId: string }

/** The events that belong to users outside the purge. */
export function eventsOfOthers(found: readonly FoundEvent[]): readonly EventOfUser[] {
  return found.filter(
    (event): event is EventOfUser =>
      event.foundBy === 'anonymous' && event.userId !== null && !event.isComputed,
  )
}

/**
 * Removes facts, counts and current traits of these events, and marks the profiles as dirty as of
 * `at`. Call `lockProfiles` first.
 */
export async function forgetEvents(tx: Tx, events: readonly EventOfUser[], at: number) {
  if (events.length === 0) return
  await tx.run(sql`UPDATE profiles_state SET purges = purges + 1`)
  const sourceIds = events.map(({ sourceId }) => sourceId)
  const spaces = await spaceOfEach(tx, sourceIds)
  const users = events.map(({ sourceId, userId }) => {
    return { space: spaces.get(sourceId)!, kind: 'user' as const, id: userId }
  })
  const numbers = await numbersOf(tx, users)
  const known = events.flatMap((event, index) => {
    const identity = numbers[index]
    return identity === undefined ? [] : [{ ...event, identity }]
  })
  await removeFacts(tx, known)
  const byIdentity = Map.groupBy(known, ({ identity }) => identity)
  const ids = numbersIn(tx, [...byIdentity.keys()])
  const rows = await tx.all(sql<CountedIdentityRow>`
    SELECT id, profile, counts, traits FROM identities LEFT JOIN identity_traits ON identity = id
    WHERE id IN (${ids})`)
  await removeTraits(tx, rows, new Set(events.map(({ id }) => id)))
  const through = await profilesPosition(tx)
  const counted = rows.map(({ id, counts }) => {
    const applied = byIdentity.get(id)!.filter(({ position }) => position <= through)
    return { id, counts: countsWithout(counts, applied) }
  })
  await tx.run(sql`
    UPDATE identities SET counts = input.counts
    FROM ${tx.dialect.rows(counted, { number: ['id'], json: ['counts'] })} WHERE identities.id = input.id`)
  const profiles = rows.map(({ profile }) => profile)
  await tx.run(sql`DELETE FROM results WHERE profile IN (${numbersIn(tx, profiles)})`)
  await touchProfiles(tx, [...byIdentity.keys()], at)
}

async function removeFacts(
  tx: Tx,
  events: readonly { readonly identity: number; readonly position: number }[],
): Promise<void> {
  const input = tx.dialect.rows(events, { number: ['identity', 'position'] })
  await tx.run(sql`
    DELETE FROM facts WHERE identity IN (SELECT identity FROM ${input})
    AND (identity, position) IN (SELECT identity, position FROM ${input})`)
}

/** Removes the current traits that these events set. Earlier values are not stored, so they cannot be restored. */
async function removeTraits(
  tx: Tx,
  rows: readonly CountedIdentityRow[],
  eventIds: ReadonlySet<string>,
) {
  const changed = rows.flatMap(({ id, traits }) => {
    const all = Object.entries(traitsIn(traits))
    const remaining = all.filter(([, [, , , eventId]]) => !eventIds.has(eventId))
    return remaining.length === all.length ? [] : [{ id, traits: Object.fromEntries(remaining) }]
  })
  await putTraits(tx, changed)
}

function countsWithout(stored: string, events: readonly { readonly type: EventType }[]) {
  const counts = countsIn(stored)
  for (const { type } of events) {
    const count = (counts[type] ?? 0) - 1
    if (count > 0) counts[type] = count
    else delete counts[type]
  }
  return counts
}
