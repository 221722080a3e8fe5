import type { Carried } from '@hookline/protocol'
import type { Purge } from '../../deletions.ts'

/** An event is in memory for a much shorter time. */
const FORGET_AFTER_MS = 60 * 60 * 1000

type Scope = Pick<Purge, 'sourceIds' | 'until'>

/** Users that were purged recently, for the parts of the service that may still have their events in memory. */
export class PurgedUsers {
  /** By user and deletion: a later deletion may remove the user from another source. */
  readonly #scopes = new Map<string, Map<string, Scope>>()

  add({ deletionId, userIds, sourceIds, until }: Purge): void {
    for (const userId of userIds) {
      const ofUser = this.#scopes.get(userId) ?? new Map<string, Scope>()
      this.#scopes.set(userId, ofUser.set(deletionId, { sourceIds, until }))
    }
  }

  /** Forgets purges of events that were received long before `now`. */
  forgetOld(now: number): void {
    for (const [userId, ofUser] of this.#scopes) {
      for (const [deletionId, { until }] of ofUser) {
        if (until < now - FORGET_AFTER_MS) ofUser.delete(deletionId)
      }
      if (ofUser.size === 0) this.#scopes.delete(userId)
    }
  }

  /** Whether a purge covers the event, by its user or by the former id that it names. */
  has({ sourceId, event }: Carried): boolean {
    if (this.#scopes.size === 0 || event.type === 'delete') return false
    const receivedAt = Date.parse(event.receivedAt)
    const covers = ({ sourceIds, until }: Scope): boolean =>
      (sourceIds === null || sourceIds.includes(sourceId)) && receivedAt <= until
    return [event.userId, event.previousId].some(
      (id) => id !== undefined && this.#scopes.get(id)?.values().some(covers),
    )
  }
}
