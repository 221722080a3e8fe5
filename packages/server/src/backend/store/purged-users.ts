import type { Carried } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { Purge, Subject } from '../deletions.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'
import { EVERY_SOURCE } from './suppressions.ts'

/** How long a purge is in memory. An event is there for a much shorter time. */
const IN_MEMORY_MS = 60 * 60 * 1000
/** How long a purge is in the table at least. */
const KEPT_MS = 24 * 60 * 60 * 1000
/** Rows that one statement reads or removes. */
const BATCH_ROWS = 5_000

/**
 * The source of purges of computed events alone: until a purge removes the profiles of its users, audiences may still announce
 * something of them.
 */
export const COMPUTED_EVENTS = 'computed'

/** An id that a purge covers in a source, or in every source: a row of `purged_ids`. */
export interface PurgedId extends Subject {
  readonly sourceId: string
  /** The position in the log of the last event that the purge covers. */
  readonly through: number
}

/** The rows of a purge of these users. */
export function purgedIdsOf(
  subjects: readonly Subject[],
  { sourceIds, through }: { readonly sourceIds: Purge['sourceIds']; readonly through: number },
): PurgedId[] {
  return (sourceIds ?? [EVERY_SOURCE]).flatMap((sourceId) =>
    subjects.map(({ kind, id }) => ({ kind, id, sourceId, through })),
  )
}

/** The purges of an id. */
interface Covered {
  /** By source: the position in the log of the last event that a purge covers there. */
  readonly through: Map<string, number>
  addedAtMs: number
}

/**
 * Users that were purged recently, for the parts of the service that may still have their events in memory: about 300 bytes
 * each, for an hour. The database refuses every record of an event that was purged.
 */
export class PurgedUsers {
  readonly #positionOf: (carried: Carried) => number | undefined
  readonly #nowMs: () => number
  /** By kind and id; the last added ones come last. */
  readonly #covered = new Map<string, Covered>()

  constructor({
    positionOf,
    nowMs = () => performance.now(),
  }: {
    /** The position of an event in the log, 0 once it was removed; `undefined` if it is unknown here. */
    readonly positionOf: (carried: Carried) => number | undefined
    /** Milliseconds of a clock that never jumps. */
    readonly nowMs?: () => number
  }) {
    this.#positionOf = positionOf
    this.#nowMs = nowMs
  }

  add(ids: Iterable<PurgedId>): void {
    const addedAtMs = this.#nowMs()
    for (const { kind, id, sourceId, through } of ids) {
      const key = keyOf(kind, id)
      const covered = this.#covered.get(key) ?? { through: new Map<string, number>(), addedAtMs }
      covered.through.set(sourceId, Math.max(through, covered.through.get(sourceId) ?? 0))
      covered.addedAtMs = addedAtMs
      this.#covered.delete(key)
      this.#covered.set(key, covered)
    }
  }

  /** Forgets purges of more than an hour ago. */
  forgetOld(): void {
    const oldest = this.#nowMs() - IN_MEMORY_MS
    for (const [key, { addedAtMs }] of this.#covered) {
      if (addedAtMs >= oldest) return
      this.#covered.delete(key)
    }
  }

  /** Whether a purge covers the event, by one of its ids or by the former id that it names. */
  has(carried: Carried): boolean {
    if (this.#covered.size === 0 || carried.type === 'delete') return false
    const { userId, previousId, anonymousId } = carried
    const through = Math.max(
      this.#throughOf('user', userId, carried),
      this.#throughOf('user', previousId, carried),
      this.#throughOf('anonymous', anonymousId, carried),
      this.#throughOf('anonymous', previousId, carried),
    )
    // An event of an unknown position may have been sent after the purge.
    return through > 0 && (this.#positionOf(carried) ?? Infinity) <= through
  }

  /** The position that purges of the id reach in the source of the event; 0 for none. */
  #throughOf(kind: Subject['kind'], id: string | undefined, { sourceId, origin }: Carried): number {
    const through = id === undefined ? undefined : this.#covered.get(keyOf(kind, id))?.through
    if (through === undefined) return 0
    // A computed event may report events of any source.
    if (origin !== undefined) return Math.max(...through.values())
    return Math.max(through.get(EVERY_SOURCE) ?? 0, through.get(sourceId) ?? 0)
  }
}

function keyOf(kind: Subject['kind'], id: string): string {
  return `${kind} ${id}`
}

interface Row extends Subject {
  readonly number: number
  readonly source_id: string
  readonly through: number
}

/** Adds to `users` the purges of the last hour, and from then on the purges of other nodes and threads. */
export async function followPurges(store: Store, users: PurgedUsers, clock: Clock): Promise<void> {
  // LIMIT lets PostgreSQL find them by time.
  const [beginning] = await store.lookUp(sql<{ readonly number: number }>`
    SELECT coalesce(
      (SELECT min(number) - 1 FROM (SELECT number FROM purged_ids
        WHERE added_at > ${clock.wall() - IN_MEMORY_MS} LIMIT ${Number.MAX_SAFE_INTEGER}) AS recent),
      (SELECT max(number) FROM purged_ids), 0) AS number`)
  let reached = beginning!.number
  const read = async (): Promise<void> => {
    users.forgetOld()
    for (let count = BATCH_ROWS; count === BATCH_ROWS;) {
      const rows: readonly Row[] = await store.lookUp(sql<Row>`
        SELECT number, kind, id, source_id, through FROM purged_ids
        WHERE number > ${reached} ORDER BY number LIMIT ${BATCH_ROWS}`)
      users.add(rows.map(({ source_id: sourceId, ...row }) => ({ ...row, sourceId })))
      count = rows.length
      reached = rows.at(-1)?.number ?? reached
    }
  }
  await read()
  const refreshes = new SharedRefresh(read)
  store.follow('purges', () => refreshes.run())
}

/** The ids of a purge that is about to remove their events. */
export interface AddedIds {
  readonly deletionId: string
  readonly ids: readonly PurgedId[]
  readonly addedAt: number
}

/**
 * Adds ids to `purged_ids`. Those of a purge that begins again get new numbers, so that every node reads them once more. Removes
 * the search texts of ended replays: they may contain data of any user.
 */
export async function addPurgedIds(tx: Tx, { deletionId, ids, addedAt }: AddedIds): Promise<void> {
  const given = tx.dialect.given({
    kind: ['text', ids.map(({ kind }) => kind)],
    id: ['text', ids.map(({ id }) => id)],
    source_id: ['text', ids.map(({ sourceId }) => sourceId)],
    through: ['number', ids.map(({ through }) => through)],
  })
  await tx.run(sql`
    DELETE FROM purged_ids WHERE number IN (
      SELECT known.number FROM ${given}
      JOIN purged_ids AS known ON known.id = given.id AND known.kind = given.kind AND known.source_id = given.source_id
      WHERE known.deletion_id = ${deletionId})`)
  await tx.run(sql`
    INSERT INTO purged_ids (kind, id, source_id, through, deletion_id, added_at)
    SELECT kind, id, source_id, through, ${deletionId}, ${addedAt} FROM ${given}`)
  await tx.run(sql`UPDATE replays SET search_text = NULL
    WHERE finished_at IS NOT NULL AND search_text IS NOT NULL`)
}

/**
 * Removes rows of more than a day ago. They are there for events that arrive from the log late: if everything is acked up to the
 * position of a purge, there are none left.
 */
export async function forgetPurges(
  tx: Tx,
  { now, ackedBefore }: { readonly now: number; readonly ackedBefore: number },
): Promise<void> {
  await tx.run(sql`
    DELETE FROM purged_ids WHERE number IN (SELECT number FROM purged_ids
      WHERE added_at < ${now - KEPT_MS} AND through < ${Math.min(ackedBefore, Number.MAX_SAFE_INTEGER)}
      ORDER BY added_at LIMIT ${BATCH_ROWS})`)
}
