import type { DeliveryContent } from '@hookline/protocol'
import type { Clock } from '../../util/time/clock.ts'
import { SharedRefresh } from '../../util/workers/shared-refresh.ts'
import type { Purge, Subject } from '../deletions.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'
import { EVERY_SOURCE } from './suppressions.ts'

/** How long a purge stays in memory: much longer than any event does. */
const IN_MEMORY_MS = 60 * 60 * 1000
const RETENTION_MS = 24 * 60 * 60 * 1000
const BATCH_ROWS = 5_000

/**
 * The `sourceId` of purges of computed events: audiences may announce a user's data until the
 * profiles are removed.
 */
export const COMPUTED_EVENTS = 'computed'

/** A row of `purged_ids`: an id that a purge covers in one source, or in every source. */
export interface PurgedId extends Subject {
  readonly sourceId: string
  /** The log position of the last event that the purge covers. */
  readonly through: number
}

export function purgedIdsOf(
  subjects: readonly Subject[],
  { sourceIds, through }: { readonly sourceIds: Purge['sourceIds']; readonly through: number },
): PurgedId[] {
  return (sourceIds ?? [EVERY_SOURCE]).flatMap((sourceId) =>
    subjects.map(({ kind, id }) => ({ kind, id, sourceId, through })),
  )
}

interface PurgeEntry {
  readonly through: Map<string, number>
  addedAtMs: number
}

/** Users purged in the last hour, about 300 bytes each, for parts of the service that may have their events in memory. */
export class PurgedUsers {
  readonly #positionOf: (content: DeliveryContent) => number | undefined
  readonly #nowMs: () => number
  /** By kind and id, in the order of addition. */
  readonly #covered = new Map<string, PurgeEntry>()

  constructor({
    positionOf,
    nowMs = () => performance.now(),
  }: {
    /** An event's log position; 0 once it has been removed, `undefined` if unknown. */
    readonly positionOf: (content: DeliveryContent) => number | undefined
    /** Returns the milliseconds of a monotonic clock. */
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

  forgetOld(): void {
    const oldest = this.#nowMs() - IN_MEMORY_MS
    for (const [key, { addedAtMs }] of this.#covered) {
      if (addedAtMs >= oldest) return
      this.#covered.delete(key)
    }
  }

  /** Whether a purge covers the event, by one of its ids or its alias's former id. */
  has(content: DeliveryContent): boolean {
    if (this.#covered.size === 0 || content.type === 'delete') return false
    const { userId, previousId, anonymousId } = content
    const through = Math.max(
      this.#throughOf('user', userId, content),
      this.#throughOf('user', previousId, content),
      this.#throughOf('anonymous', anonymousId, content),
      this.#throughOf('anonymous', previousId, content),
    )
    // An event at an unknown position may be newer than the purge.
    return through > 0 && (this.#positionOf(content) ?? Infinity) <= through
  }

  /** The position that purges of the id reach in the event's source; 0 for none. */
  #throughOf(
    kind: Subject['kind'],
    id: string | undefined,
    { sourceId, origin }: DeliveryContent,
  ): number {
    const through = id === undefined ? undefined : this.#covered.get(keyOf(kind, id))?.through
    if (through === undefined) return 0
    // A computed event may report events from any source.
    if (origin !== undefined) return Math.max(...through.values())
    return Math.max(through.get(EVERY_SOURCE) ?? 0, through.get(sourceId) ?? 0)
  }
}

function keyOf(kind: Subject['kind'], id: string): string {
  return `${kind} ${id}`
}

interface PurgedIdRow extends PurgedId {
  readonly number: number
}

/** Adds the purges from the last hour to `users`, then new purges by other nodes and threads. */
export async function followPurges(store: Store, users: PurgedUsers, clock: Clock): Promise<void> {
  // LIMIT makes PostgreSQL use the index by time.
  const [beginning] = await store.lookUp(sql<{ readonly number: number }>`
    SELECT coalesce(
      (SELECT min(number) - 1 FROM (SELECT number FROM purged_ids
        WHERE added_at > ${clock.wall() - IN_MEMORY_MS} LIMIT ${Number.MAX_SAFE_INTEGER}) AS recent),
      (SELECT max(number) FROM purged_ids), 0) AS number`)
  let reached = beginning!.number
  const read = async (): Promise<void> => {
    users.forgetOld()
    for (let count = BATCH_ROWS; count === BATCH_ROWS;) {
      const rows: readonly PurgedIdRow[] = await store.lookUp(sql<PurgedIdRow>`
        SELECT number, kind, id, source_id AS "sourceId", through FROM purged_ids
        WHERE number > ${reached} ORDER BY number LIMIT ${BATCH_ROWS}`)
      users.add(rows)
      count = rows.length
      reached = rows.at(-1)?.number ?? reached
    }
  }
  await read()
  const refreshes = new SharedRefresh(read)
  store.follow('purges', () => refreshes.run())
}

export interface AddedIds {
  readonly deletionId: string
  readonly ids: readonly PurgedId[]
  readonly addedAt: number
}

/**
 * Adds or replaces the ids of a deletion's purge. Removes search texts of finished replays, which may contain any user's data.
 */
export async function addPurgedIds(tx: Tx, { deletionId, ids, addedAt }: AddedIds): Promise<void> {
  const input = tx.dialect.rows(ids, { text: ['kind', 'id', 'sourceId'], number: ['through'] })
  await tx.run(sql`
    DELETE FROM purged_ids WHERE number IN (
      SELECT known.number FROM ${input}
      JOIN purged_ids AS known ON known.id = input.id AND known.kind = input.kind AND known.source_id = input.source_id
      WHERE known.deletion_id = ${deletionId})`)
  await tx.run(sql`
    INSERT INTO purged_ids (kind, id, source_id, through, deletion_id, added_at)
    SELECT kind, id, source_id, through, ${deletionId}, ${addedAt} FROM ${input}`)
  await tx.run(sql`UPDATE replays SET search_text = NULL
    WHERE finished_at IS NOT NULL AND search_text IS NOT NULL`)
}

/** Removes rows older than a day, once the log is acked up to their positions, so no covered event can arrive late. */
export async function forgetPurges(
  tx: Tx,
  { now, ackedBefore }: { readonly now: number; readonly ackedBefore: number },
): Promise<void> {
  await tx.run(sql`
    DELETE FROM purged_ids WHERE number IN (SELECT number FROM purged_ids
      WHERE added_at < ${now - RETENTION_MS} AND through < ${Math.min(ackedBefore, Number.MAX_SAFE_INTEGER)}
      ORDER BY added_at LIMIT ${BATCH_ROWS})`)
}
