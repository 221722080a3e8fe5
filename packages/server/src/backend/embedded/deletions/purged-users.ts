import type { Carried } from '@hookline/protocol'
import type { Purge } from '../../deletions.ts'

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

/**
 * Users that were purged recently, for the parts of the service that may still have their events in memory. The position
 * of an event is looked up in the table, and only where its user was purged: other events cost no look-up.
 */
export class PurgedUsers {
  readonly #seqOf: (eventId: string) => number | undefined
  readonly #nowMs: () => number
  /** By user and deletion: a later deletion may remove the user from another source. */
  readonly #scopes = new Map<string, Map<string, Scope>>()

  constructor({ seqOf, nowMs = () => performance.now() }: PurgedUsersOptions) {
    this.#seqOf = seqOf
    this.#nowMs = nowMs
  }

  add({ deletionId, userIds, sourceIds }: Purge, through: number): void {
    const scope = { sourceIds, through, addedAtMs: this.#nowMs() }
    for (const userId of userIds) {
      const ofUser = this.#scopes.get(userId) ?? new Map<string, Scope>()
      this.#scopes.set(userId, ofUser.set(deletionId, scope))
    }
  }

  /** Forgets purges of long ago. */
  forgetOld(): void {
    const oldest = this.#nowMs() - FORGET_AFTER_MS
    for (const [userId, ofUser] of this.#scopes) {
      for (const [deletionId, { addedAtMs }] of ofUser) {
        if (addedAtMs < oldest) ofUser.delete(deletionId)
      }
      if (ofUser.size === 0) this.#scopes.delete(userId)
    }
  }

  /** Whether a purge covers the event, by its user or by the former id that it names. */
  has({ id, sourceId, event, origin }: Carried): boolean {
    if (this.#scopes.size === 0 || event.type === 'delete') return false
    const scopes = [event.userId, event.previousId]
      .flatMap((userId) => [...(this.#scopes.get(userId ?? '')?.values() ?? [])])
      .filter(({ sourceIds }) => origin !== undefined || (sourceIds?.includes(sourceId) ?? true))
    if (scopes.length === 0) return false
    const seq = this.#readSeq(id)
    return scopes.some(({ through }) => seq <= through)
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
