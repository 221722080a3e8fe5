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
import { type DurableState, isFinal } from './durable-state.ts'
import { MinHeap } from '../environment/min-heap.ts'
import type { BackendListener } from './backend-listener.ts'

interface Due {
  readonly dueAt: number
  readonly id: string
}

/**
 * Deliveries in memory. Their states are durable. The claims and the queues of due deliveries belong to the process. A
 * queue may contain entries that are stale, because their delivery is claimed, ended or due at another time; they are
 * dropped when the queue is read.
 */
export class MemoryDeliveries implements Deliveries {
  readonly #state: DurableState
  readonly #committer: Committer
  readonly #listener: BackendListener
  readonly #due = new Map<string, MinHeap<Due>>()
  readonly #claimed = new Set<string>()

  constructor(state: DurableState, committer: Committer, listener: BackendListener) {
    this.#state = state
    this.#committer = committer
    this.#listener = listener
    for (const delivery of state.deliveries.values()) this.#queue(delivery)
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    // Only the current claims: a delivery parked by this record may be claimed again before the caller continues.
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

  /** How many held deliveries each destination has, as in `Upkeep.backlog`. */
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
    throw new Error('The engine does not use find.')
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
    // Its user was purged.
    if (!this.#state.events.has(offered.eventId)) return
    const before = this.#state.deliveries.get(offered.id)
    const isNewer = before === undefined || (!isFinal(before) && before.rounds <= offered.rounds)
    const { firstDueAt } = before ?? offered
    if (isNewer) this.#replace(before, { ...offered, firstDueAt })
    else this.#listener.recorded(before, offered, false)
  }

  #replace(before: Delivery | undefined, delivery: Delivery): void {
    this.#listener.recorded(before, delivery, true)
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

  /** The delivery that is due next and not claimed. It stays in the queue. */
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
