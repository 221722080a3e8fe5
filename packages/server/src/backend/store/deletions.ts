import type { Carried, EventType } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'
import type { AuditEntry } from '../audit.ts'
import type {
  DeletedIds,
  Deletion,
  DeletionRequest,
  Deletions,
  DeletionStep,
  Purge,
  Subject,
} from '../deletions.ts'
import type { Page, PageRequest } from '../page.ts'
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

/** Ids that one write refuses, or removes the profiles of, and events that one write removes. */
const GROUP_IDS = 50
const GROUP_EVENTS = 500

interface Row {
  readonly id: string
  readonly step: DeletionStep
  readonly started_at: number | null
  readonly suppressed_at: number | null
  readonly purged_at: number | null
  readonly notified_at: number | null
  readonly purged_events: number
  readonly purged_anonymous_events: number
  readonly purged_deliveries: number
  /** JSON of the request. */
  readonly document: string
}

/** An event that a purge has found. */
export interface FoundEvent {
  readonly id: string
  readonly sourceId: string
  readonly userId: string | null
  readonly isComputed: boolean
  readonly type: EventType
  /** As of `PositionedEvent`. */
  readonly position: number
  /** The kind of the id that has found it. */
  readonly foundBy: Subject['kind']
}

/** The events to find: with one of the ids, or calls that name one as the former id. */
export interface WantedEvents {
  readonly subjects: readonly Subject[]
  /** The position in the log of the last event that may be found. */
  readonly through: number
  /** The same for computed events: later, or the same position. */
  readonly computedThrough: number
}

/** The profiles to remove. */
export interface ProfilesPurge extends Pick<Purge, 'sourceIds'> {
  readonly subjects: readonly Subject[]
  /** Now: since when profiles that lose something wait to be evaluated. */
  readonly at: number
}

/** Where a purge goes on. */
interface Cursor {
  /** A place of `find`. */
  readonly after: unknown
  readonly computedThrough: number
}

/** The parts of a purge that differ between the engines: how they find events, remove rows, and overwrite bytes. */
export interface PurgeEngine {
  /** The position of the last event that was appended before the call, by any node. */
  lastPosition(): Promise<number>
  /** As of `PurgedUsers`. */
  positionOf(carried: Carried): number | undefined
  /** Whether the archive has refused the event because of a purge that this node may not know. */
  isRefused(carried: Carried): boolean
  /**
   * Stores whom a purge covers. From then on, no node archives an event of them. Removes other texts that may name them: search
   * texts of ended replays, contents in quarantine.
   */
  refuse(ids: AddedIds): Promise<void>
  /** Removes the profiles of the first of these subjects. Resolves to the number of subjects that are done; 0 if one has too much for one call. */
  removeProfiles(purge: ProfilesPurge): Promise<number>
  /**
   * Finds some of the events after a place, which an earlier call has returned; `null` is the beginning, and as `next` the end.
   * Places are JSON.
   */
  find(
    wanted: WantedEvents,
    after: unknown,
  ): Promise<{ readonly events: readonly FoundEvent[]; readonly next: unknown }>
  /**
   * Removes the first of these events with decisions, deliveries and attempts, counts them (`countPurged`), and removes them
   * from the profiles of other users (`forgetEvents`). Resolves to the number of events that are done.
   */
  removeEvents(purge: Purge, events: readonly FoundEvent[], at: number): Promise<number>
  /** As of `Deletions`. */
  erase(signal: AbortSignal): Promise<boolean>
}

/**
 * Deletions in the tables `deletions` and `deletion_ids`, and the purge of users:
 *
 *     the archive of every node refuses their events ─▶ their profiles ─▶ events, slice by slice ─▶ once more their profiles
 *
 * The profiles go before the first event, so that nothing is computed of them any more, and once more after the last: events
 * that were not applied yet may have made a profile meanwhile.
 */
export class StoredDeletions implements Deletions {
  readonly #store: Store
  readonly #engine: PurgeEngine
  readonly #clock: Clock
  readonly #users: PurgedUsers
  /** The purge that this node has begun last. */
  #begun: { readonly id: string; readonly through: number } | undefined

  private constructor(store: Store, engine: PurgeEngine, clock: Clock) {
    this.#store = store
    this.#engine = engine
    this.#clock = clock
    this.#users = new PurgedUsers({ positionOf: (carried) => engine.positionOf(carried) })
  }

  static async open(store: Store, engine: PurgeEngine, clock: Clock): Promise<StoredDeletions> {
    const deletions = new StoredDeletions(store, engine, clock)
    await followPurges(store, deletions.#users, clock)
    return deletions
  }

  async create(request: DeletionRequest, ids: DeletedIds, audit?: AuditEntry): Promise<void> {
    await this.#store.write(createDeletion, { request, ids }, { audit })
  }

  async find(id: string): Promise<Deletion | undefined> {
    const [row] = await this.#store.lookUp(sql<Row>`SELECT * FROM deletions WHERE id = ${id}`)
    return row && deletionOf(row)
  }

  async list(
    { isOpen }: { readonly isOpen?: true },
    { limit, cursor = '~' }: PageRequest,
  ): Promise<Page<Deletion>> {
    const rows = await this.#store.lookUp(sql<Row>`
      SELECT * FROM deletions WHERE id < ${cursor} ${isOpen ? sql`AND step <> 'done'` : sql``}
      ORDER BY id DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ id }) => id }, deletionOf)
  }

  async ids(
    id: string,
    kind: Subject['kind'],
    { after, limit }: { readonly after: string; readonly limit: number },
  ): Promise<string[]> {
    // An id may be longer than an entry of an index of PostgreSQL, so the index has its beginning.
    const rows = await this.#store.lookUp(sql<{ readonly id: string }>`
      SELECT id FROM deletion_ids WHERE deletion_id = ${id} AND kind = ${kind}
        AND substr(id, 1, 500) >= substr(${after}, 1, 500) AND id > ${after}
      ORDER BY substr(id, 1, 500), id LIMIT ${limit}`)
    return rows.map((row) => row.id)
  }

  async advance(id: string, to: DeletionStep, now: number): Promise<void> {
    this.#users.forgetOld()
    // Before the step is recorded, and after every append that has resolved.
    const through = to === 'purge' ? await this.#engine.lastPosition() : null
    await this.#store.write(advanceDeletion, { id, to, now, through })
    if (to !== 'purge') return
    // It may have begun before.
    const end = await this.#endOf(id)
    if (end !== null) this.#begun = { id, through: end }
  }

  async purge(purge: Purge): Promise<string | null> {
    const { deletionId, sourceIds } = purge
    // At once, where this node knows it: a part that has an event in memory must not send it any more.
    const through =
      this.#begun?.id === deletionId ? this.#begun.through : await this.#endOf(deletionId)
    if (through === null) throw new Error(`The purge of ${deletionId} has not begun.`)
    const subjects = subjectsOf(purge)
    const purged = purgedIdsOf(subjects, { sourceIds, through })
    this.#users.add(purged)
    const { after, computedThrough } =
      purge.cursor === undefined
        ? { after: null, computedThrough: await this.#begin(purge, purged) }
        : (JSON.parse(purge.cursor) as Cursor)
    const { events, next } = await this.#engine.find({ subjects, through, computedThrough }, after)
    const covered = coveredOf(purge, events)
    for (let done = 0; done < covered.length;)
      done += await this.#engine.removeEvents(
        purge,
        covered.slice(done, done + GROUP_EVENTS),
        this.#clock.wall(),
      )
    if (next !== null) return JSON.stringify({ after: next, computedThrough } satisfies Cursor)
    await this.#removeProfiles(subjects, sourceIds)
    return null
  }

  /**
   * Removes the profiles before the first event. Resolves to the end of the purge for computed events: what was announced of the
   * users until now.
   */
  async #begin({ deletionId, sourceIds, ...ids }: Purge, purged: readonly PurgedId[]) {
    const subjects = subjectsOf(ids)
    await this.#refuse(deletionId, purged)
    await this.#removeProfiles(subjects, sourceIds)
    const through = await this.#engine.lastPosition()
    const computed = purgedIdsOf(subjects, { sourceIds: [COMPUTED_EVENTS], through })
    this.#users.add(computed)
    await this.#refuse(deletionId, computed)
    return through
  }

  erase(signal: AbortSignal): Promise<boolean> {
    return this.#engine.erase(signal)
  }

  isPurged(carried: Carried): boolean {
    return this.#engine.isRefused(carried) || this.#users.has(carried)
  }

  /** The position of the last event that the purge of a deletion may remove; `null` before it has begun. */
  async #endOf(deletionId: string): Promise<number | null> {
    const [row] = await this.#store.lookUp(sql<{ readonly purge_through: number | null }>`
      SELECT purge_through FROM deletions WHERE id = ${deletionId}`)
    return row?.purge_through ?? null
  }

  /** Resolves when no node that can be reached archives or sends an event of these ids. */
  async #refuse(deletionId: string, purged: readonly PurgedId[]): Promise<void> {
    const addedAt = this.#clock.wall()
    for (let from = 0; from < purged.length; from += GROUP_IDS)
      await this.#engine.refuse({ deletionId, addedAt, ids: purged.slice(from, from + GROUP_IDS) })
    await this.#store.spread('purges')
  }

  async #removeProfiles(
    subjects: readonly Subject[],
    sourceIds: Purge['sourceIds'],
  ): Promise<void> {
    for (let done = 0; done < subjects.length;) {
      const group = subjects.slice(done, done + GROUP_IDS)
      const at = this.#clock.wall()
      done += await this.#engine.removeProfiles({ subjects: group, sourceIds, at })
    }
  }
}

function subjectsOf({ userIds, anonymousIds = [] }: DeletedIds): Subject[] {
  return [
    ...userIds.map((id) => ({ kind: 'user' as const, id })),
    ...anonymousIds.map((id) => ({ kind: 'anonymous' as const, id })),
  ]
}

/** Those of the sources of the purge, each once: an alias call may name two of the ids. */
function coveredOf({ sourceIds }: Purge, events: readonly FoundEvent[]): readonly FoundEvent[] {
  const sources = sourceIds && new Set(sourceIds)
  // A computed event may report events of any source.
  const covered = events.filter(
    ({ isComputed, sourceId }) => isComputed || (sources?.has(sourceId) ?? true),
  )
  return [...new Map(covered.map((event) => [event.id, event])).values()]
}

function deletionOf(row: Row): Deletion {
  return {
    ...(JSON.parse(row.document) as DeletionRequest),
    step: row.step,
    startedAt: timeOrNull(row.started_at),
    suppressedAt: timeOrNull(row.suppressed_at),
    purgedAt: timeOrNull(row.purged_at),
    notifiedAt: timeOrNull(row.notified_at),
    purged: {
      events: row.purged_events,
      anonymousEvents: row.purged_anonymous_events,
      deliveries: row.purged_deliveries,
    },
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
  const subjects = subjectsOf(ids)
  const given = tx.dialect.given({
    kind: ['text', subjects.map(({ kind }) => kind)],
    id: ['text', subjects.map((subject) => subject.id)],
  })
  await tx.run(sql`INSERT INTO deletion_ids (deletion_id, kind, id)
    SELECT DISTINCT ${id}, kind, id FROM ${given}`)
}

/** For each step, the one before it, and the column with the time when that one was done. */
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
  /** The end of the purge, if `to` is that step. */
  readonly through: number | null
}

/** Records that the deletion begins, if `to` is its step already; otherwise that `to` is its next step. */
export async function advanceDeletion(tx: Tx, { id, to, now, through }: Advance): Promise<void> {
  const endPurge = sql`purge_through = coalesce(${through}, purge_through)`
  const begun = await tx.run(sql`UPDATE deletions SET started_at = ${now}, ${endPurge}
    WHERE id = ${id} AND step = ${to} AND started_at IS NULL`)
  const [from, doneAt] = STEPS[to] ?? []
  if (begun > 0 || from === undefined || doneAt === undefined) return
  await tx.run(sql`UPDATE deletions SET step = ${to}, ${rawSql(doneAt)} = ${now}, ${endPurge}
    WHERE id = ${id} AND step = ${from}`)
}

/** Adds the counts of one removal to those of its deletion. */
export async function countPurged(
  tx: Tx,
  deletionId: string,
  { events, anonymousEvents, deliveries }: Deletion['purged'],
): Promise<void> {
  await tx.run(sql`UPDATE deletions SET purged_events = purged_events + ${events},
    purged_anonymous_events = purged_anonymous_events + ${anonymousEvents},
    purged_deliveries = purged_deliveries + ${deliveries} WHERE id = ${deletionId}`)
}
