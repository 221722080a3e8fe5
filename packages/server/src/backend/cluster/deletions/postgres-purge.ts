import type { DeliveryContent } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import type { Purge } from '../../deletions.ts'
import {
  countPurged,
  type FoundEvent,
  type ProfilesPurge,
  type PurgeEngine,
  type EventsToPurge,
} from '../../store/deletions.ts'
import { eventsOfOthers, forgetEvents } from '../../store/profiles/forget-events.ts'
import { lockProfiles } from '../../store/profiles/lock-profiles.ts'
import { removeIdentities, removeUsers } from '../../store/profiles/remove-identities.ts'
import { type AddedIds, addPurgedIds } from '../../store/purged-users.ts'
import type { Tx } from '../../store/store.ts'
import type { ReplicatedChanges } from '../changes/replicated-changes.ts'
import { archivedPositionOf, isId } from '../postgres/event-rows.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import { fromText, toText } from '../postgres/text.ts'
import { removeEvents } from './remove-events.ts'

/** The maximum numbers of ids and of events in one step. */
const GROUP_IDS = 10
const STEP_EVENTS = 500

interface PostgresPurgeOptions {
  readonly postgres: Postgres
  readonly feed: ReplicatedChanges
  readonly lastPosition: PurgeEngine['lastPosition']
  readonly erase: PurgeEngine['erase']
  /** The position of an event that this node has consumed. */
  readonly consumedPositionOf: (content: DeliveryContent) => number | undefined
  /** Events that the archive has refused. */
  readonly refused: WeakSet<object>
}

/** Removes users' events. Several nodes may run the same purge at once: each event is counted once. */
export function postgresPurge({
  postgres,
  feed,
  lastPosition,
  erase,
  consumedPositionOf,
  refused,
}: PostgresPurgeOptions): PurgeEngine {
  return {
    lastPosition,
    positionOf: (content) => archivedPositionOf(content) ?? consumedPositionOf(content),
    isRefused: (content) => refused.has(content),
    refuse: (added) =>
      postgres.write(async (transaction) => {
        await refuse(transaction, added)
        await feed.publish(transaction, 'purges')
      }),
    async removeProfiles(purge) {
      const isAll = await postgres.write((transaction) =>
        removeProfiles(new PostgresTx(transaction), purge),
      )
      return isAll ? purge.subjects.length : 0
    },
    find: (events, after) => find(postgres, events, (after ?? cursorAt(0)) as PurgeCursor),
    async removeEvents(purge, events, at) {
      await postgres.write((transaction) => removeFound(transaction, { ...purge, at }, events))
      return events.length
    },
    erase,
  }
}

/** Archiving waits for this transaction, and then reads its rows. */
async function refuse(transaction: Transaction<unknown>, added: AddedIds): Promise<void> {
  await lock(transaction, 'archive')
  await addPurgedIds(new PostgresTx(transaction), added)
  const names = added.ids.map(({ id }) => Buffer.from(JSON.stringify(id)))
  // The rows and their reasons are kept.
  await sql`UPDATE quarantine SET content = NULL WHERE content IS NOT NULL AND EXISTS (
    SELECT FROM unnest(${names}::bytea[]) AS named (id) WHERE position(named.id IN content) > 0)`.execute(
    transaction,
  )
}

async function removeProfiles(tx: Tx, { subjects, ...rest }: ProfilesPurge): Promise<boolean> {
  const { user = [], anonymous = [] } = Object.groupBy(subjects, ({ kind }) => kind)
  const userIds = user.map(({ id }) => id)
  if (userIds.length > 0 && !(await removeUsers(tx, { userIds, ...rest }))) return false
  return anonymous.length === 0 || removeIdentities(tx, { ids: anonymous, ...rest })
}

/** A step's start: a group of ids, and the last event in the previous step. */
interface PurgeCursor {
  readonly from: number
  readonly at: number
  readonly seq: number
}

function cursorAt(from: number): PurgeCursor {
  return { from, at: -1, seq: 0 }
}

interface FoundRow extends FoundEvent {
  readonly receivedAt: number
}

/** Finds the next events with one of these ids, in order of arrival. Each part of the union uses one index. */
async function find(
  postgres: Postgres,
  { subjects, through, computedThrough }: EventsToPurge,
  cursor: PurgeCursor,
) {
  const group = subjects.slice(cursor.from, cursor.from + GROUP_IDS)
  const having = (condition: unknown) => sql`(
    SELECT id, source_id AS "sourceId", user_id AS "userId", type, origin IS NOT NULL AS "isComputed",
      received_at AS "receivedAt", seq AS "position"
    FROM events
    WHERE ${condition} AND (received_at, seq) > (${cursor.at}::bigint, ${cursor.seq}::bigint)
      AND log_position <= CASE WHEN origin IS NULL THEN ${through}::bigint ELSE ${computedThrough}::bigint END
    ORDER BY received_at, seq LIMIT ${STEP_EVENTS})`
  const idColumn = sql`ids.id`
  const rows = await postgres.run(sql<FoundRow>`
    SELECT found.*, ids.kind AS "foundBy"
    FROM unnest(${group.map(({ kind }) => kind)}::text[], ${group.map(({ id }) => toText(id))}::text[])
      AS ids (kind, id)
    CROSS JOIN LATERAL (
      ${having(sql`ids.kind = 'user' AND ${isId('user_id', idColumn)}`)}
      UNION ALL ${having(sql`ids.kind = 'anonymous' AND ${isId('anonymous_id', idColumn)}`)}
      UNION ALL ${having(isId('previous_id', idColumn))}) AS found
    ORDER BY "receivedAt", "position", kind DESC LIMIT ${STEP_EVENTS}`)
  const last = rows.length === STEP_EVENTS ? rows.at(-1) : undefined
  const rest = last && { ...cursor, at: last.receivedAt, seq: last.position }
  const from = cursor.from + GROUP_IDS
  const next = rest ?? (from < subjects.length ? cursorAt(from) : null)
  const events = rows.map((row) => ({
    ...row,
    sourceId: fromText(row.sourceId),
    userId: row.userId === null ? null : fromText(row.userId),
  }))
  return { events, next }
}

async function removeFound(
  transaction: Transaction<unknown>,
  { deletionId, at }: Purge & { readonly at: number },
  found: readonly FoundEvent[],
): Promise<void> {
  const tx = new PostgresTx(transaction)
  const othersEvents = eventsOfOthers(found)
  // This lock is taken before all others.
  if (othersEvents.length > 0) await lockProfiles(tx)
  const ids = found.map(({ id }) => id)
  const { events, deliveries } = await removeEvents(transaction, ids)
  await forgetEvents(
    tx,
    othersEvents.filter(({ id }) => events.has(id)),
    at,
  )
  const anonymous = found.filter(({ id, userId }) => userId === null && events.has(id))
  const purged = { events: events.size, anonymousEvents: anonymous.length, deliveries }
  await countPurged(tx, deletionId, purged)
}
