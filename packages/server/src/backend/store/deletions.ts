import type { DeliveryContent, EventType } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'
import type {
  DeletedIds,
  Deletion,
  DeletionRequest,
  Deletions,
  DeletionStep,
  Purge,
  Subject,
} from '../deletions.ts'
import {
  type AddedIds,
  COMPUTED_EVENTS,
  followPurges,
  type PurgedId,
  PurgedUsers,
  purgedIdsOf,
} from './purged-users.ts'
import { pageOf, timeOrNull } from './rows.ts'
import { rawSql, sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

/** The maximum numbers of ids and of events that one write processes. */
const GROUP_IDS = 50
const GROUP_EVENTS = 500

type DeletionRow = Omit<Deletion, keyof DeletionRequest | 'purged'> &
  Deletion['purged'] & {
    readonly id: string
    readonly document: string
  }

const SELECT = sql<DeletionRow>`SELECT id, step, started_at AS "startedAt", suppressed_at AS "suppressedAt",
    purged_at AS "purgedAt", notified_at AS "notifiedAt", purged_events AS events,
    purged_anonymous_events AS "anonymousEvents", purged_deliveries AS deliveries, document
  FROM deletions`

export interface FoundEvent {
  readonly id: string
  readonly sourceId: string
  readonly userId: string | null
  readonly isComputed: boolean
  readonly type: EventType
  readonly position: number
  readonly foundBy: Subject['kind']
}

/** The events to find: those with one of the ids, including as an alias's former id. */
export interface EventsToPurge {
  readonly subjects: readonly Subject[]
  readonly through: number
  readonly computedThrough: number
}

export interface ProfilesPurge extends Pick<Purge, 'sourceIds'> {
  readonly subjects: readonly Subject[]
  /** The current time, at which profiles that lose data become dirty. */
  readonly at: number
}

interface Cursor {
  readonly after: unknown
  readonly computedThrough: number
}

/** How an engine finds events, removes rows and erases bytes. */
export interface PurgeEngine {
  /** The position of the last event that any node appended before the call. */
  lastPosition(): Promise<number>
  positionOf(content: DeliveryContent): number | undefined
  /** Whether the archive refused the event because of a purge, possibly one from another node. */
  isRefused(content: DeliveryContent): boolean
  /**
   * Stores the ids of a purge: no node archives their events from then on. Removes search texts and contents that may contain
   * them.
   */
  refuse(ids: AddedIds): Promise<void>
  /** Removes the profiles of the first subjects. Resolves to the number of subjects done; 0 if one has too much for one call. */
  removeProfiles(purge: ProfilesPurge): Promise<number>
  /** Finds some of the events after a position (JSON: `next` of the previous call); `null` is the beginning, or the end. */
  find(
    events: EventsToPurge,
    after: unknown,
  ): Promise<{ readonly events: readonly FoundEvent[]; readonly next: unknown }>
  /** Removes the first of these events, counts them, and removes their data from other profiles. Resolves to their number. */
  removeEvents(purge: Purge, events: readonly FoundEvent[], at: number): Promise<number>
  erase(signal: AbortSignal): Promise<boolean>
}

/**
 * Deletions in the tables `deletions` and `deletion_ids`, and the purge of users:
 *
 *     every node's archive refuses their events ─▶ profiles ─▶ events, slice by slice ─▶ profiles again
 *
 * Profiles are removed first, so that nothing more is computed from them, and again at the end: events that were not applied yet may
 * have created new ones.
 */
export async function storedDeletions(
  store: Store,
  engine: PurgeEngine,
  clock: Clock,
): Promise<Deletions> {
  const users = new PurgedUsers({ positionOf: (content) => engine.positionOf(content) })
  await followPurges(store, users, clock)
  let begun: { readonly id: string; readonly through: number } | undefined
  return {
    create: (request, ids, audit) => store.write(createDeletion, { request, ids }, { audit }),
    erase: (signal) => engine.erase(signal),
    isPurged: (content) => engine.isRefused(content) || users.has(content),

    async find(id) {
      const [row] = await store.lookUp(sql<DeletionRow>`${SELECT} WHERE id = ${id}`)
      return row && deletionOf(row)
    },

    async list({ isOpen }, { limit, cursor = '~' }) {
      const rows = await store.lookUp(sql<DeletionRow>`
        ${SELECT} WHERE id < ${cursor} ${isOpen ? sql`AND step <> 'done'` : sql``}
        ORDER BY id DESC LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ id }) => id }, deletionOf)
    },

    async ids(id, kind, { after, limit }) {
      // Ids may exceed the size of a PostgreSQL index entry, so the index has a prefix.
      const rows = await store.lookUp(sql<{ readonly id: string }>`
        SELECT id FROM deletion_ids WHERE deletion_id = ${id} AND kind = ${kind}
          AND substr(id, 1, 500) >= substr(${after}, 1, 500) AND id > ${after}
        ORDER BY substr(id, 1, 500), id LIMIT ${limit}`)
      return rows.map((row) => row.id)
    },

    async advance(id, to, now) {
      users.forgetOld()
      // Read before the step is recorded, so that it includes every append that has resolved.
      const through = to === 'purge' ? await engine.lastPosition() : null
      await store.write(advanceDeletion, { id, to, now, through })
      if (to !== 'purge') return
      // An earlier call may have begun the purge, with a different end position.
      const end = await purgeEndOf(store, id)
      if (end !== null) begun = { id, through: end }
    },

    async purge(purge) {
      const { deletionId: id } = purge
      const through = begun?.id === id ? begun.through : await purgeEndOf(store, id)
      if (through === null) throw new Error(`The purge of ${id} has not begun.`)
      return purgeSlice({ store, engine, clock, users }, purge, through)
    },
  }
}

interface PurgeContext {
  readonly store: Store
  readonly engine: PurgeEngine
  readonly clock: Clock
  readonly users: PurgedUsers
}

async function purgeSlice(context: PurgeContext, purge: Purge, through: number) {
  const { engine, clock, users } = context
  const subjects = subjectsOf(purge)
  const purged = purgedIdsOf(subjects, { sourceIds: purge.sourceIds, through })
  // First, because other components must stop sending the users' events.
  users.add(purged)
  const { after, computedThrough } =
    purge.cursor === undefined
      ? { after: null, computedThrough: await beginPurge(context, purge, purged) }
      : (JSON.parse(purge.cursor) as Cursor)
  const { events, next } = await engine.find({ subjects, through, computedThrough }, after)
  const covered = coveredOf(purge, events)
  for (let done = 0; done < covered.length;) {
    const group = covered.slice(done, done + GROUP_EVENTS)
    done += await engine.removeEvents(purge, group, clock.wall())
  }
  if (next !== null) return JSON.stringify({ after: next, computedThrough } satisfies Cursor)
  await removeProfiles(context, purge)
  return null
}

/**
 * Makes every node refuse the users' events, and removes their profiles. Resolves to the log position up to which their computed
 * events are purged.
 */
async function beginPurge(context: PurgeContext, purge: Purge, purged: readonly PurgedId[]) {
  await refuse(context, purge.deletionId, purged)
  await removeProfiles(context, purge)
  const through = await context.engine.lastPosition()
  const computed = purgedIdsOf(subjectsOf(purge), { sourceIds: [COMPUTED_EVENTS], through })
  context.users.add(computed)
  await refuse(context, purge.deletionId, computed)
  return through
}

/** Resolves when no reachable node archives or sends an event with these ids. */
async function refuse(
  { store, engine, clock }: PurgeContext,
  deletionId: string,
  purged: readonly PurgedId[],
) {
  const addedAt = clock.wall()
  for (let from = 0; from < purged.length; from += GROUP_IDS)
    await engine.refuse({ deletionId, addedAt, ids: purged.slice(from, from + GROUP_IDS) })
  await store.spread('purges')
}

async function removeProfiles({ engine, clock }: PurgeContext, { sourceIds, ...ids }: Purge) {
  const all = subjectsOf(ids)
  for (let done = 0; done < all.length;) {
    const subjects = all.slice(done, done + GROUP_IDS)
    done += await engine.removeProfiles({ subjects, sourceIds, at: clock.wall() })
  }
}

/** The position of the last event that the purge of a deletion may remove; `null` before it has begun. */
async function purgeEndOf(store: Store, deletionId: string): Promise<number | null> {
  const [row] = await store.lookUp(sql<{ readonly purge_through: number | null }>`
    SELECT purge_through FROM deletions WHERE id = ${deletionId}`)
  return row?.purge_through ?? null
}

function subjectsOf({ userIds, anonymousIds = [] }: DeletedIds): Subject[] {
  return [
    ...userIds.map((id) => ({ kind: 'user' as const, id })),
    ...anonymousIds.map((id) => ({ kind: 'anonymous' as const, id })),
  ]
}

/** The events in the sources of the purge, once each: an alias call may have two of the ids. */
function coveredOf({ sourceIds }: Purge, events: readonly FoundEvent[]): readonly FoundEvent[] {
  const sources = sourceIds && new Set(sourceIds)
  // A computed event may report events from any source.
  const covered = events.filter(
    ({ isComputed, sourceId }) => isComputed || (sources?.has(sourceId) ?? true),
  )
  return [...new Map(covered.map((event) => [event.id, event])).values()]
}

function deletionOf({ events, anonymousEvents, deliveries, ...row }: DeletionRow): Deletion {
  return {
    ...(JSON.parse(row.document) as DeletionRequest),
    step: row.step,
    startedAt: timeOrNull(row.startedAt),
    suppressedAt: timeOrNull(row.suppressedAt),
    purgedAt: timeOrNull(row.purgedAt),
    notifiedAt: timeOrNull(row.notifiedAt),
    purged: { events, anonymousEvents, deliveries },
  }
}

export async function createDeletion(
  tx: Tx,
  { request, ids }: { readonly request: DeletionRequest; readonly ids: DeletedIds },
): Promise<void> {
  const { id, suppress } = request
  const step: DeletionStep = suppress ? 'suppress' : 'purge'
  await tx.run(sql`INSERT INTO deletions (id, step, document)
    VALUES (${id}, ${step}, ${JSON.stringify(request)})`)
  const input = tx.dialect.rows(subjectsOf(ids), { text: ['kind', 'id'] })
  await tx.run(sql`INSERT INTO deletion_ids (deletion_id, kind, id)
    SELECT DISTINCT ${id}, kind, id FROM ${input}`)
}

/** For each step: the step before it, and the column for the time when that earlier step was completed. */
const STEPS: Readonly<
  Partial<Record<DeletionStep, readonly [from: DeletionStep, doneAt: string]>>
> = {
  purge: ['suppress', 'suppressed_at'],
  notify: ['purge', 'purged_at'],
  done: ['notify', 'notified_at'],
}

interface Advance {
  readonly id: string
  readonly to: DeletionStep
  readonly now: number
  /** The end of the purge, if `to` is `purge`. */
  readonly through: number | null
}

export async function advanceDeletion(tx: Tx, { id, to, now, through }: Advance): Promise<void> {
  const endPurge = sql`purge_through = coalesce(${through}, purge_through)`
  const begun = await tx.run(sql`UPDATE deletions SET started_at = ${now}, ${endPurge}
    WHERE id = ${id} AND step = ${to} AND started_at IS NULL`)
  const [from, doneAt] = STEPS[to] ?? []
  if (begun > 0 || from === undefined || doneAt === undefined) return
  await tx.run(sql`UPDATE deletions SET step = ${to}, ${rawSql(doneAt)} = ${now}, ${endPurge}
    WHERE id = ${id} AND step = ${from}`)
}

export async function countPurged(
  tx: Tx,
  deletionId: string,
  { events, anonymousEvents, deliveries }: Deletion['purged'],
): Promise<void> {
  await tx.run(sql`UPDATE deletions SET purged_events = purged_events + ${events},
    purged_anonymous_events = purged_anonymous_events + ${anonymousEvents},
    purged_deliveries = purged_deliveries + ${deliveries} WHERE id = ${deletionId}`)
}
