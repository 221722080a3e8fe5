import type { Carried } from '@hookline/protocol'
import type { Purge } from '../../deletions.ts'

/** What is left of an event in memory is gone long before. */
const KEPT_MS = 60 * 60 * 1000

type Scope = Pick<Purge, 'sourceIds' | 'until'>

/** Users purged of late, for those who still have their events in memory. */
export class PurgedUsers {
  /** By user and deletion: a user may be deleted from one source now, and from another one later. */
  readonly #scopes = new Map<string, Map<string, Scope>>()

  add({ deletionId, userIds, sourceIds, until }: Purge): void {
    for (const userId of userIds) {
      const ofUser = this.#scopes.get(userId) ?? new Map<string, Scope>()
      this.#scopes.set(userId, ofUser.set(deletionId, { sourceIds, until }))
    }
  }

  /** Forgets purges that reached up to a time long before `now`. */
  forgetOld(now: number): void {
    for (const [userId, ofUser] of this.#scopes) {
      for (const [deletionId, { until }] of ofUser) {
        if (until < now - KEPT_MS) ofUser.delete(deletionId)
      }
      if (ofUser.size === 0) this.#scopes.delete(userId)
    }
  }

  /** Whether the event belongs to one of them, or names one as a former id. */
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
