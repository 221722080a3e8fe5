import type { Carried } from '@hookline/protocol'
import type { Purge, Subject } from '../../deletions.ts'
import { EVERY_SOURCE } from './suppressed-users.ts'

/** An event is in memory for a much shorter time. */
export const FORGET_AFTER_MS = 60 * 60 * 1000

/** What the purges of an id cover. */
interface Covered {
  /** By source: the position in the log of the last event that a purge covers there. */
  readonly through: Map<string, number>
  addedAtMs: number
}

/** One row of `purged_ids`. */
export interface PurgedId extends Subject {
  readonly sourceId: string
  readonly through: number
}

export interface PurgedUsersOptions {
  /** The position of an event in the log; `undefined` where this node does not know it. */
  readonly positionOf: (carried: Carried) => number | undefined
  /** Milliseconds of a clock that nobody can set. */
  readonly nowMs?: () => number
}

/**
 * Users that were purged recently, for the parts of the service that may still have their events in memory: about 300 bytes
 * each, for an hour. The database knows all of them, and refuses what is written of their events.
 */
export class PurgedUsers {
  readonly #positionOf: (carried: Carried) => number | undefined
  readonly #nowMs: () => number
  /** By kind and id; what was added last comes last. */
  readonly #covered = new Map<string, Covered>()

  constructor({ positionOf, nowMs = () => performance.now() }: PurgedUsersOptions) {
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

  /** Forgets purges of long ago. */
  forgetOld(): void {
    const oldest = this.#nowMs() - FORGET_AFTER_MS
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
    // An event of an unknown position may have been sent after the purge. A record of a purged one is refused.
    return through > 0 && (this.#positionOf(carried) ?? Infinity) <= through
  }

  /** The position that purges of the id reach in the source of the event; 0 for none. */
  #throughOf(kind: Subject['kind'], id: string | undefined, { sourceId, origin }: Carried): number {
    const through = id === undefined ? undefined : this.#covered.get(keyOf(kind, id))?.through
    if (through === undefined) return 0
    // A computed event may tell of events of any source.
    if (origin !== undefined) return Math.max(...through.values())
    return Math.max(through.get(EVERY_SOURCE) ?? 0, through.get(sourceId) ?? 0)
  }
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

function keyOf(kind: Subject['kind'], id: string): string {
  return `${kind} ${id}`
}
