import type { Carried } from '@hookline/protocol'
import type { Purge, Subject } from '../../deletions.ts'
import type { BegunPurge } from '../../threads.ts'

/** An event is in memory for a much shorter time. */
const FORGET_AFTER_MS = 60 * 60 * 1000

/** What one purge covers of a user. */
interface Scope {
  readonly sourceIds: Purge['sourceIds']
  /** The seq of the last event that it covers. */
  readonly through: number
  readonly addedAtMs: number
}

export interface PurgedUsersOptions {
  /** The seq of an event in the table; `undefined` where the event is not in the table. */
  readonly seqOf: (eventId: string) => number | undefined
  /** Milliseconds of a clock that nobody can set. */
  readonly nowMs?: () => number
}

const NONE: readonly Scope[] = []

function keyOf(kind: Subject['kind'], id: string): string {
  return `${kind} ${id}`
}

/**
 * Users that were purged recently, for the parts of the service that may still have their events in memory. The position
 * of an event is looked up in the table, and only where its user was purged: other events cost no look-up.
 */
export class PurgedUsers {
  readonly #seqOf: (eventId: string) => number | undefined
  readonly #nowMs: () => number
  /** By user (`keyOf`) and deletion: a later deletion may remove the user from another source. */
  readonly #scopes = new Map<string, Map<string, Scope>>()
  readonly #purges = new Map<string, { readonly purge: BegunPurge; readonly addedAtMs: number }>()

  constructor({ seqOf, nowMs = () => performance.now() }: PurgedUsersOptions) {
    this.#seqOf = seqOf
    this.#nowMs = nowMs
  }

  /** The purges that were added and not forgotten, one for each slice of a deletion that named other users. */
  get recent(): readonly BegunPurge[] {
    return [...this.#purges.values()].map(({ purge }) => purge)
  }

  add(purge: Omit<BegunPurge, 'through'>, through: number): void {
    const { deletionId, userIds, anonymousIds = [], sourceIds } = purge
    const named = `${deletionId} ${userIds[0]} ${anonymousIds[0]}`
    this.#purges.set(named, { purge: { ...purge, through }, addedAtMs: this.#nowMs() })
    const scope = { sourceIds, through, addedAtMs: this.#nowMs() }
    const keys = [
      ...userIds.map((id) => keyOf('user', id)),
      ...anonymousIds.map((id) => keyOf('anonymous', id)),
    ]
    for (const key of keys) {
      const ofUser = this.#scopes.get(key) ?? new Map<string, Scope>()
      this.#scopes.set(key, ofUser.set(deletionId, scope))
    }
  }

  /** Forgets purges of long ago. */
  forgetOld(): void {
    const oldest = this.#nowMs() - FORGET_AFTER_MS
    for (const [named, { addedAtMs }] of this.#purges)
      if (addedAtMs < oldest) this.#purges.delete(named)
    for (const [key, ofUser] of this.#scopes) {
      for (const [deletionId, { addedAtMs }] of ofUser) {
        if (addedAtMs < oldest) ofUser.delete(deletionId)
      }
      if (ofUser.size === 0) this.#scopes.delete(key)
    }
  }

  /** Whether a purge covers the event, by one of its ids or by the former id that it names. */
  has(carried: Carried): boolean {
    if (this.#scopes.size === 0 || carried.type === 'delete') return false
    const { id, sourceId, userId, previousId, anonymousId, origin } = carried
    const scopes = [
      this.#scopesOf('user', userId),
      this.#scopesOf('user', previousId),
      this.#scopesOf('anonymous', anonymousId),
      this.#scopesOf('anonymous', previousId),
    ]
      .flat()
      .filter(({ sourceIds }) => origin !== undefined || (sourceIds?.includes(sourceId) ?? true))
    if (scopes.length === 0) return false
    const seq = this.#readSeq(id)
    return scopes.some(({ through }) => seq <= through)
  }

  #scopesOf(kind: Subject['kind'], id: string | undefined): readonly Scope[] {
    return id === undefined ? NONE : [...(this.#scopes.get(keyOf(kind, id))?.values() ?? NONE)]
  }

  /** 0 where the event is no longer in the table: it has been purged. */
  #readSeq(eventId: string): number {
    try {
      return this.#seqOf(eventId) ?? 0
    } catch {
      // A disk that fails must not cost an event that was sent after the purge. A record of a purged one is refused.
      return Infinity
    }
  }
}
