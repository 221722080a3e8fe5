import type { Delivery } from '@hookline/protocol'
import type {
  Claim,
  ClaimedDelivery,
  Deliveries,
  DeliveryFilter,
  DeliveryHistory,
  RecordedDelivery,
} from '../../../../packages/server/src/backend/deliveries.ts'
import type { Page } from '../../../../packages/server/src/backend/page.ts'
import type { WaitingDeliveries } from '../../../../packages/server/src/backend/upkeep.ts'
import { deliveryId } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Committer } from './committer.ts'
import type { DurableState } from './durable-state.ts'
import { isFinal } from './is-final.ts'
import { MinHeap } from '../surroundings/min-heap.ts'
import type { Witness } from '../rules/witness.ts'

interface Due {
  readonly dueAt: number
  readonly id: string
}

/**
 * Deliveries in memory. Their states are durable; claims, and the queues of what is due, are the
 * process's own. A queue may hold what is claimed, ended or due at another time by now: whoever
 * reads it drops that.
 */
export class MemoryDeliveries implements Deliveries {
  readonly #state: DurableState
  readonly #committer: Committer
  readonly #witness: Witness
  readonly #due = new Map<string, MinHeap<Due>>()
  readonly #claimed = new Set<string>()

  constructor(state: DurableState, committer: Committer, witness: Witness) {
    this.#state = state
    this.#committer = committer
    this.#witness = witness
    for (const delivery of state.deliveries.values()) this.#queue(delivery)
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    // Only the claims there are now: what is parked by this may be claimed before its caller knows.
    const claimed = records.map(({ delivery }) => delivery.id).filter((id) => this.#claimed.has(id))
    await this.#committer.run(() => {
      for (const { delivery } of records) this.#keep(delivery)
    })
    await this.release(claimed)
  }

  claim(
    destinationId: string,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<Claim> {
    return this.#committer.read(() => {
      const claimed: ClaimedDelivery[] = []
      while (claimed.length < limit) {
        const due = this.#nextOf(destinationId)
        if (due === undefined || due.dueAt > now) break
        this.#due.get(destinationId)!.take()
        this.#claimed.add(due.id)
        const delivery = this.#state.deliveries.get(due.id)!
        claimed.push({ delivery, event: this.#state.events.get(delivery.eventId)! })
      }
      return { deliveries: claimed, unreadable: [] }
    })
  }

  async release(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (!this.#claimed.delete(id)) continue
      const delivery = this.#state.deliveries.get(id)
      if (delivery !== undefined) this.#queue(delivery)
    }
  }

  nextDue(): Promise<ReadonlyMap<string, number>> {
    return this.#committer.read(() => {
      const next = new Map<string, number>()
      for (const destinationId of this.#due.keys()) {
        const due = this.#nextOf(destinationId)
        if (due !== undefined) next.set(destinationId, due.dueAt)
      }
      return next
    })
  }

  unhold(destinationId: string, now: number): Promise<number> {
    return this.#committer.run(() => {
      const held = [...this.#heldOf(destinationId)]
      for (const delivery of held) {
        this.#replace(delivery, { ...delivery, state: 'pending', firstDueAt: now, dueAt: now })
      }
      return held.length
    })
  }

  /** How many deliveries each destination holds, as `Upkeep.backlog` says it. */
  held(): Promise<readonly WaitingDeliveries[]> {
    return this.#committer.read(() =>
      [...this.#state.destinationIds]
        .map((destinationId) => ({
          destinationId,
          state: 'held' as const,
          count: [...this.#heldOf(destinationId)].length,
        }))
        .filter(({ count }) => count > 0),
    )
  }

  async find(): Promise<DeliveryHistory | undefined> {
    throw new Error('The engine finds no single delivery.')
  }

  list({ eventId }: DeliveryFilter): Promise<Page<DeliveryHistory>> {
    return this.#committer.read(() => {
      const data = [...this.#state.destinationIds]
        .map((destinationId) => this.#state.deliveries.get(deliveryId(eventId!, destinationId)))
        .filter((delivery) => delivery !== undefined)
        .map((delivery) => ({ ...delivery, attempts: [] }))
      return { data, nextCursor: null }
    })
  }

  #keep(offered: Delivery): void {
    const before = this.#state.deliveries.get(offered.id)
    const isTaken = before === undefined || (!isFinal(before) && before.rounds <= offered.rounds)
    const { firstDueAt } = before ?? offered
    if (isTaken) this.#replace(before, { ...offered, firstDueAt })
    else this.#witness.recorded(before, offered, false)
  }

  #replace(before: Delivery | undefined, delivery: Delivery): void {
    this.#witness.recorded(before, delivery, true)
    this.#state.deliveries.set(delivery.id, delivery)
    this.#queue(delivery)
  }

  #heldOf(destinationId: string): IteratorObject<Delivery> {
    return this.#state.deliveries
      .values()
      .filter((each) => each.state === 'held' && each.destinationId === destinationId)
  }

  #queue({ id, destinationId, dueAt }: Delivery): void {
    if (dueAt === null || this.#claimed.has(id)) return
    let queue = this.#due.get(destinationId)
    if (queue === undefined) {
      queue = new MinHeap((a, b) => (a.dueAt === b.dueAt ? a.id < b.id : a.dueAt < b.dueAt))
      this.#due.set(destinationId, queue)
    }
    queue.add({ id, dueAt })
  }

  /** What is due next and in nobody's hands. It stays in the queue. */
  #nextOf(destinationId: string): Due | undefined {
    const queue = this.#due.get(destinationId)
    for (let due = queue?.least; due !== undefined; due = queue?.least) {
      const isStale = this.#state.deliveries.get(due.id)?.dueAt !== due.dueAt
      if (!isStale && !this.#claimed.has(due.id)) return due
      queue!.take()
    }
    return undefined
  }
}
