import type { Delivery, DeliveryPart } from '@hookline/protocol'
import {
  type Claim,
  type ClaimedDelivery,
  type ClaimRequest,
  type Deliveries,
  type DeliveryFilter,
  type DeliveryHistory,
  type LaneId,
  laneKey,
  type RecordedDelivery,
  type WaitingLanes,
} from '../../../../packages/server/src/backend/deliveries.ts'
import type { Page } from '../../../../packages/server/src/backend/page.ts'
import { deliveryId } from '../../../../packages/server/src/delivery/sending/webhook-request.ts'
import type { Committer } from './committer.ts'
import { type DurableState, isFinal } from './durable-state.ts'
import { MinHeap } from '../environment/min-heap.ts'
import type { BackendListener } from './backend-listener.ts'

interface Due {
  readonly dueAt: number
  readonly id: string
}

/** The pending and held parts of one lane. The heap may contain stale entries, which are dropped when it is read. */
interface WaitingParts {
  readonly lane: LaneId
  readonly due: MinHeap<Due>
  readonly held: Set<string>
}

/**
 * Deliveries in memory. Their states are durable. The claims and the queues of due parts belong to a process or a thread. All
 * instances in a process see each other's records.
 */
export class MemoryDeliveries implements Deliveries {
  readonly #state: DurableState
  readonly #committer: Pick<Committer, 'run' | 'read'>
  readonly #listener: BackendListener
  readonly #all: ReadonlySet<MemoryDeliveries>
  readonly #lanes = new Map<string, WaitingParts>()
  readonly #claimed = new Set<string>()

  /** @param all the instances of the process, to which this one is added */
  constructor(
    state: DurableState,
    committer: Pick<Committer, 'run' | 'read'>,
    listener: BackendListener,
    all: Set<MemoryDeliveries>,
  ) {
    this.#state = state
    this.#committer = committer
    this.#listener = listener
    this.#all = all.add(this)
    for (const delivery of state.deliveries.values()) this.#queueAll(delivery)
  }

  async record(records: readonly RecordedDelivery[]): Promise<void> {
    // Only current claims, because a part parked by this record may be claimed again before the caller continues.
    const ended = records.flatMap((each) => this.#takeOver(each))
    await this.#committer.run(() => {
      for (const { delivery } of records) this.#keep(delivery)
    })
    for (const [id, lane] of ended) await this.release([id], lane)
  }

  claim(lane: LaneId, { due, limit }: ClaimRequest): Promise<Claim> {
    return this.#committer.read(() => {
      const claimed: ClaimedDelivery[] = []
      while (claimed.length < limit) {
        // A simulation makes no manual attempts.
        if (typeof due === 'object') break
        const id = due === 'held' ? this.#nextHeld(lane) : this.#takeDue(lane, due)
        if (id === undefined) break
        this.#claimed.add(claimOf(id, lane))
        const delivery = this.#state.deliveries.get(id)!
        claimed.push({ delivery, event: this.#state.events.get(delivery.eventId)! })
      }
      return { deliveries: claimed, unreadable: [] }
    })
  }

  /** A simulation has no replays. */
  async claimUnsplit(): Promise<Claim> {
    return { deliveries: [], unreadable: [] }
  }

  async release(ids: readonly string[], lane?: LaneId): Promise<void> {
    for (const id of ids) {
      const delivery = this.#state.deliveries.get(id)
      for (const part of delivery?.webhooks ?? []) {
        const its = { destinationId: delivery!.destinationId, url: part.url }
        if (lane !== undefined && lane.url !== part.url) continue
        if (this.#claimed.delete(claimOf(id, its))) this.#queue(delivery!, part)
      }
    }
  }

  waiting(): Promise<WaitingLanes> {
    return this.#committer.read(() => {
      const lanes = [...this.#lanes.values()].map(({ lane }) => ({
        ...lane,
        dueAt: this.#nextDue(lane)?.dueAt ?? null,
        isHeld: this.#nextHeld(lane) !== undefined,
      }))
      return { lanes: lanes.filter((each) => each.dueAt !== null || each.isHeld), isUnsplit: false }
    })
  }

  find(id: string): Promise<DeliveryHistory | undefined> {
    return this.#committer.read(() => {
      const delivery = this.#state.deliveries.get(id)
      return delivery && { ...delivery, attempts: [] }
    })
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

  /** Claims the parts that are in lanes. Returns the claims that end with the record. */
  #takeOver({ delivery, claimed = [] }: RecordedDelivery): (readonly [string, LaneId])[] {
    const { id, destinationId } = delivery
    for (const url of claimed) this.#claimed.add(claimOf(id, { destinationId, url }))
    return delivery.webhooks
      .map(({ url }) => ({ destinationId, url }))
      .filter(({ url }) => !claimed.includes(url))
      .filter((lane) => this.#claimed.has(claimOf(id, lane)))
      .map((lane) => [id, lane] as const)
  }

  #keep(offered: Delivery): void {
    // The user was purged.
    if (!this.#state.events.has(offered.eventId)) return
    const before = this.#state.deliveries.get(offered.id)
    const isNewer = before === undefined || isAfter(before, offered)
    this.#listener.recorded(before, offered, isNewer)
    if (!isNewer) return
    this.#state.deliveries.set(offered.id, offered)
    for (const each of this.#all) each.#stored(offered)
  }

  #stored(delivery: Delivery): void {
    for (const { held } of this.#lanes.values()) held.delete(delivery.id)
    this.#queueAll(delivery)
  }

  #queueAll(delivery: Delivery): void {
    for (const part of delivery.webhooks) this.#queue(delivery, part)
  }

  #queue({ id, destinationId }: Delivery, { url, state, dueAt }: DeliveryPart): void {
    const lane = { destinationId, url }
    if (state !== 'pending' && state !== 'held') return
    const waiting = this.#of(lane)
    if (state === 'held') waiting.held.add(id)
    else if (!this.#claimed.has(claimOf(id, lane))) waiting.due.add({ id, dueAt: dueAt! })
  }

  #of(lane: LaneId): WaitingParts {
    let waiting = this.#lanes.get(laneKey(lane))
    if (waiting === undefined) {
      const { destinationId, url } = lane
      const due = new MinHeap<Due>((a, b) =>
        a.dueAt === b.dueAt ? a.id < b.id : a.dueAt < b.dueAt,
      )
      waiting = { lane: { destinationId, url }, due, held: new Set() }
      this.#lanes.set(laneKey(lane), waiting)
    }
    return waiting
  }

  #nextHeld(lane: LaneId): string | undefined {
    return this.#of(lane)
      .held.values()
      .find((id) => this.#state.deliveries.has(id) && !this.#claimed.has(claimOf(id, lane)))
  }

  #takeDue(lane: LaneId, now: number): string | undefined {
    const due = this.#nextDue(lane)
    if (due === undefined || due.dueAt > now) return undefined
    this.#of(lane).due.take()
    return due.id
  }

  /** The next due part without a claim. It stays in the queue. */
  #nextDue(lane: LaneId): Due | undefined {
    const queue = this.#of(lane).due
    for (let due = queue.top; due !== undefined; due = queue.top) {
      const delivery = this.#state.deliveries.get(due.id)
      const part = delivery?.webhooks.find(({ url }) => url === lane.url)
      const isStale = part?.state !== 'pending' || part.dueAt !== due.dueAt
      if (!isStale && !this.#claimed.has(claimOf(due.id, lane))) return due
      queue.take()
    }
    return undefined
  }
}

/** Whether a record changes the stored delivery, according to `DeliveryQueue.record`. */
function isAfter(before: Delivery, offered: Delivery): boolean {
  const isOpen = !isFinal(before) || before.state === offered.state
  return (
    isOpen &&
    before.firstDueAt === offered.firstDueAt &&
    before.attemptCount <= offered.attemptCount
  )
}

function claimOf(id: string, lane: LaneId): string {
  return `${id} ${laneKey(lane)}`
}
