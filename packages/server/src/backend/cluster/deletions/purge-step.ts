import { sql, type Transaction } from 'kysely'
import type { Purge } from '../../deletions.ts'
import { isId } from '../postgres/event-rows.ts'
import { fromText, toText } from '../postgres/text.ts'
import { removeIdentities } from '../../store/profiles/remove-identities.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import { type OpenId, openIds, placeAfter, type PurgePlace } from './purge-place.ts'
import { type FoundEvent, removeEvents } from './remove-events.ts'

/** Most events that one step looks at. */
export const STEP_EVENTS = 500

/** A purge that has begun. */
export interface BegunPurge extends Purge {
  /** The position in the log of the last event that it may remove. */
  readonly through: number
}

export interface PlacedPurge {
  readonly purge: BegunPurge
  readonly place: PurgePlace
}

/** Where the next step begins, `null` at the end; and how many events this one looked at. */
export interface PurgeStep {
  readonly next: PurgePlace | null
  readonly looked: number
}

interface Found extends FoundEvent {
  readonly index: number
  readonly received_at: number
  readonly seq: number
}

/** Removes some events of a group of ids, in one transaction. */
export async function purgeStep(
  transaction: Transaction<unknown>,
  { purge, place }: PlacedPurge,
): Promise<PurgeStep> {
  const most = Math.max(1, Math.floor(STEP_EVENTS / openIds(place, purge).length))
  const found = await find(transaction, { purge, place }, most)
  const covered = coveredOf(purge, found)
  if (place.kind === 'anonymous') {
    // The profiles of their users were made of these events, too. First, because their lock is taken before all others.
    const users = new Set(covered.flatMap(({ user_id: id }) => (id === null ? [] : fromText(id))))
    const ids = [...users].map((id) => ({ kind: 'user' as const, id }))
    const { sourceIds, at = 0 } = purge
    if (ids.length > 0) await removeIdentities(new PostgresTx(transaction), { ids, sourceIds, at })
  }
  await remove(transaction, purge, covered)
  return { next: placeAfter(place, purge, lastsOf(found, most)), looked: found.length }
}

/** The next events of each id, at most `most`, in the order of their arrival. */
async function find(
  transaction: Transaction<unknown>,
  { purge, place }: PlacedPurge,
  most: number,
): Promise<readonly Found[]> {
  const wanted = openIds(place, purge)
  const column = place.column === 'previous' ? 'previous_id' : (`${place.kind}_id` as const)
  const { rows } = await sql<Found>`
    SELECT found.*, wanted.index
    FROM unnest(${wanted.map(([id]) => toText(id))}::text[], ${wanted.map(([, index]) => index)}::int[],
      ${wanted.map(([, , at]) => at)}::bigint[], ${wanted.map(([, , , seq]) => seq)}::bigint[])
      AS wanted (id, index, after_at, after_seq)
    CROSS JOIN LATERAL (
      SELECT id, source_id, user_id, origin IS NOT NULL AS is_computed, received_at, seq FROM events
      WHERE ${isId(column, sql`wanted.id`)} AND (received_at, seq) > (after_at, after_seq)
        AND log_position <= ${purge.through}
      ORDER BY received_at, seq LIMIT ${most}) AS found
    ORDER BY index, received_at, seq`.execute(transaction)
  return rows
}

/** Those of the sources of the purge, each once: an alias call may name two of the ids. */
function coveredOf({ sourceIds }: Purge, found: readonly Found[]): readonly Found[] {
  const sources = sourceIds && new Set(sourceIds.map(toText))
  // A computed event may tell of events of any source.
  const covered = found.filter(
    (event) => event.is_computed || (sources?.has(event.source_id) ?? true),
  )
  return [...new Map(covered.map((event) => [event.id, event])).values()]
}

/** The ids that may have more events, with the last one that was found. */
function lastsOf(found: readonly Found[], most: number): readonly OpenId[] {
  return [...Map.groupBy(found, ({ index }) => index)]
    .filter(([, events]) => events.length === most)
    .map(([index, events]) => [index, events.at(-1)!.received_at, events.at(-1)!.seq])
}

/** Counts what another node has not removed at the same time. */
async function remove(
  transaction: Transaction<unknown>,
  { deletionId }: Purge,
  covered: readonly Found[],
): Promise<void> {
  if (covered.length === 0) return
  const ids = covered.map(({ id }) => id)
  const { events, deliveries } = await removeEvents(transaction, ids)
  const anonymous = covered.filter(({ id, user_id: userId }) => userId === null && events.has(id))
  await sql`UPDATE deletions SET purged_events = purged_events + ${events.size},
    purged_anonymous_events = purged_anonymous_events + ${anonymous.length},
    purged_deliveries = purged_deliveries + ${deliveries} WHERE id = ${toText(deletionId)}`.execute(
    transaction,
  )
}
