import type { AcceptedEvent, Delivery } from '@hookline/protocol'
import type { DeclinedDestination } from '../../../../packages/server/src/backend/events.ts'
import type { ArchiveResult, BackendListener, PurgedRecords } from '../backend/backend-listener.ts'
import { type DurableState, isFinal } from '../backend/durable-state.ts'

/**
 * The status of one event for one destination. `unrecorded`: to be delivered, and not recorded yet. `cancelled`: the
 * destination was removed or the deletion of the user has started, so the event need not be delivered.
 */
type Status = 'unrecorded' | 'declined' | 'cancelled' | Delivery['state']

/**
 * A ledger of all accepted events, derived from durable changes independently of the engine. Its invariants: each accepted event
 * has exactly one status for each destination, an acked event has no status `unrecorded`, and a final status never changes.
 */
export class EventLedger implements Omit<BackendListener, 'purgeApplied' | 'destinationChanges'> {
  readonly #state: DurableState
  readonly #onViolation: (violation: string) => void
  /** By event and destination. */
  readonly #statuses = new Map<string, Status>()
  readonly #counts = new Map<Status, number>()
  readonly #duplicates = new Set<string>()
  readonly #purged = new Set<string>()
  /** The started purges: by user, the seq of the last purged event. */
  readonly #purges = new Map<string, number>()
  #unackedEvents = 0
  #events = 0

  constructor(state: DurableState, onViolation: (violation: string) => void) {
    this.#state = state
    this.#onViolation = onViolation
  }

  /** The number of accepted events. */
  get events(): number {
    return this.#events
  }

  /** Whether all events are acked, and final for each destination. */
  get isSettled(): boolean {
    return this.#unackedEvents === 0 && this.#ended === this.#statuses.size
  }

  appended(events: readonly AcceptedEvent[]): void {
    this.#unackedEvents += events.length
    this.#events += events.length
  }

  archived(
    event: AcceptedEvent,
    result: ArchiveResult,
    declined: readonly DeclinedDestination[],
  ): void {
    if (result === 'duplicate') {
      this.#duplicates.add(event.id)
      return
    }
    const status = this.#state.isCovered(this.#purges, event) ? 'cancelled' : 'unrecorded'
    for (const id of result === 'first' ? this.#state.destinations.keys() : [])
      this.#change(keyOf(event.id, id), status)
    for (const { destinationId } of declined)
      this.#change(keyOf(event.id, destinationId), 'declined')
  }

  recorded(_before: Delivery | undefined, offered: Delivery, isNewer: boolean): void {
    const key = keyOf(offered.eventId, offered.destinationId)
    if (this.#purged.has(offered.eventId))
      this.#onViolation(`${key}: recorded although its user was deleted`)
    if (this.#statuses.get(key) === 'declined')
      this.#onViolation(`${key}: recorded as a delivery although it was declined`)
    if (isNewer) this.#change(key, offered.state)
  }

  acked(events: readonly AcceptedEvent[]): void {
    this.#unackedEvents -= events.length
    for (const event of events) {
      const { id } = event
      if (this.#duplicates.has(id) || this.#state.isCovered(this.#purges, event)) continue
      if (!this.#state.events.has(id)) this.#onViolation(`${id}: acked before it was archived`)
      for (const destinationId of this.#state.destinations.keys()) {
        const status = this.#statuses.get(keyOf(id, destinationId))
        if (status === undefined || status === 'unrecorded')
          this.#onViolation(`${keyOf(id, destinationId)}: acked without a record`)
      }
    }
  }

  /** Called when a destination was removed: its unrecorded events need not be delivered. */
  removed(destinationId: string): void {
    for (const [key, status] of this.#statuses) {
      if (status === 'unrecorded' && key.endsWith(destinationId)) this.#change(key, 'cancelled')
    }
  }

  /**
   * Called when a purge of the user's events up to the seq `through` starts. The engine may ack them from now on,
   * before the purge is durable, because it is repeated after every restart.
   */
  purgeBegins(userId: string, through: number): void {
    this.#purges.set(userId, Math.max(through, this.#purges.get(userId) ?? 0))
    for (const event of this.#state.events.values()) {
      if (!this.#state.isCovered(this.#purges, event)) continue
      for (const destinationId of this.#state.destinationIds) {
        const key = keyOf(event.id, destinationId)
        if (this.#statuses.get(key) === 'unrecorded') this.#change(key, 'cancelled')
      }
    }
  }

  purged({ eventIds, unacked }: PurgedRecords): void {
    this.#unackedEvents -= unacked
    for (const eventId of eventIds) {
      this.#purged.add(eventId)
      for (const destinationId of this.#state.destinationIds) {
        const key = keyOf(eventId, destinationId)
        if (this.#statuses.has(key)) this.#set(key, 'cancelled')
      }
    }
  }

  /** Called when the call with this event got a 200. The event must be durable. */
  accepted(event: AcceptedEvent): void {
    const isDurable =
      this.#duplicates.has(event.id) ||
      this.#purged.has(event.id) ||
      this.#state.events.has(event.id) ||
      this.#state.log.values().some((entry) => entry.includes(event))
    if (!isDurable) this.#onViolation(`${event.id}: the response was 200, but it is not durable`)
  }

  /** Checks the counts against each other and the durable state. */
  check(): void {
    const sum = this.#counts.values().reduce((total, count) => total + count, 0)
    const { size } = this.#statuses
    if (sum !== size)
      this.#onViolation(`the ledger has ${size} statuses, but its counts add up to ${sum}`)
    const unrecorded = this.#count('unrecorded')
    if (this.#unackedEvents === 0 && unrecorded > 0)
      this.#onViolation(`all events are acked, but ${unrecorded} deliveries are not recorded`)
    const expected = size - unrecorded - this.#count('declined') - this.#count('cancelled')
    const stored = this.#state.deliveries.size
    if (stored !== expected)
      this.#onViolation(`${stored} deliveries are stored, but the ledger has ${expected}`)
  }

  /** A violation for each event and destination that is not final at the end of the simulation. */
  unsettled(): string[] {
    return [...this.#statuses]
      .filter(([, status]) => !isEnd(status))
      .map(([key, status]) => `${key}: still ${status} at the end of the simulation`)
  }

  get #ended(): number {
    const ends = ['declined', 'cancelled', 'delivered', 'rejected', 'expired'] as const
    return ends.reduce((sum, status) => sum + this.#count(status), 0)
  }

  #count(status: Status): number {
    return this.#counts.get(status) ?? 0
  }

  #change(key: string, to: Status): void {
    const from = this.#statuses.get(key)
    // Delivered deliveries are recorded again for their other webhooks.
    if (from === to) return
    if (from !== undefined && isFinal({ state: from } as Delivery))
      this.#onViolation(`${key}: changed from ${from} to ${to}, but ${from} is final`)
    this.#set(key, to)
  }

  #set(key: string, to: Status): void {
    const from = this.#statuses.get(key)
    if (from !== undefined) this.#counts.set(from, this.#count(from) - 1)
    this.#statuses.set(key, to)
    this.#counts.set(to, this.#count(to) + 1)
  }
}

function isEnd(status: Status): boolean {
  return status === 'declined' || status === 'cancelled' || isFinal({ state: status } as Delivery)
}

function keyOf(eventId: string, destinationId: string): string {
  return `${eventId} for ${destinationId}`
}
