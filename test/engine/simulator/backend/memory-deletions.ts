import type { Carried, Delivery } from '@hookline/protocol'
import type { Deletions } from '../../../../packages/server/src/backend/deletions.ts'
import { deliveryId } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import type { BackendListener } from './backend-listener.ts'

/** Purges users, each in one commit. The purges that a process knows of are lost when it is killed. */
export class MemoryDeletions implements Pick<Deletions, 'isPurged'> {
  readonly #state: DurableState
  readonly #committer: Committer
  readonly #listener: BackendListener
  readonly #purges = new Map<string, number>()

  constructor(state: DurableState, committer: Committer, listener: BackendListener) {
    this.#state = state
    this.#committer = committer
    this.#listener = listener
  }

  isPurged(carried: Carried): boolean {
    return this.#state.isCovered(this.#purges, carried)
  }

  /**
   * Removes the events of the user up to the seq `through`. Safe to call twice. While the backend is unavailable it
   * rejects, but `isPurged` covers the user from the call on.
   */
  purgeUser(userId: string, through: number): Promise<void> {
    this.#purges.set(userId, Math.max(through, this.#purges.get(userId) ?? 0))
    return this.#committer.run(() => this.#remove(userId, through))
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
    this.#listener.purged({ eventIds, deliveries: removed, unacked })
  }
}
