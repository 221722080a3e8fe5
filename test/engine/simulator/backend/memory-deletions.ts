import type { Delivery, DeliveryContent } from '@hookline/protocol'
import type { Deletions } from '../../../../packages/server/src/backend/deletions.ts'
import { deliveryId } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import type { BackendListener } from './backend-listener.ts'
import type { AppliedPurges } from './applied-purges.ts'
import type { MemoryChanges } from './memory-changes.ts'

export interface MemoryDeletionsOptions {
  readonly state: DurableState
  readonly committer: Committer
  readonly changes: MemoryChanges
  readonly purges: AppliedPurges
  readonly listener: BackendListener
}

/** Purges users, each in one commit. */
export class MemoryDeletions implements Pick<Deletions, 'isPurged'> {
  readonly #options: MemoryDeletionsOptions
  readonly #state: DurableState

  constructor(options: MemoryDeletionsOptions) {
    this.#options = options
    this.#state = options.state
  }

  isPurged(content: DeliveryContent): boolean {
    return this.#options.purges.has(content)
  }

  /**
   * Removes the user's events up to the seq `through`. Safe to call twice. Rejects while the backend is unavailable, but
   * `isPurged` covers the user immediately, and in the threads before anything is removed.
   */
  async purgeUser(userId: string, through: number): Promise<void> {
    const { changes, committer, purges, listener } = this.#options
    purges.add(userId, through)
    await changes.publishAll({ kind: 'purges' }, () => listener.purgeApplied(userId, through))
    await committer.run(() => this.#remove(userId, through))
  }

  #remove(userId: string, through: number): void {
    const { purgedThrough, events, deliveries, destinationIds, log } = this.#state
    purgedThrough.set(userId, Math.max(through, purgedThrough.get(userId) ?? 0))
    const eventIds = new Set<string>()
    const removed: Delivery[] = []
    for (const [id, event] of events) {
      if (!this.#state.isPurged(event)) continue
      eventIds.add(id)
      events.delete(id)
      for (const destinationId of destinationIds) {
        const delivery = deliveries.get(deliveryId(id, destinationId))
        if (delivery === undefined) continue
        deliveries.delete(delivery.id)
        removed.push(delivery)
      }
    }
    let unacked = 0
    for (const [seq, logged] of log) {
      const left = logged.filter((event) => !this.#state.isPurged(event))
      unacked += logged.length - left.length
      for (const event of logged) if (!left.includes(event)) eventIds.add(event.id)
      log.set(seq, left)
    }
    this.#options.listener.purged({ eventIds, deliveries: removed, unacked })
  }
}
