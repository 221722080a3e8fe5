import type { AcceptedEvent, Delivery } from '@hookline/protocol'
import type { Declined } from '../../../../packages/server/src/backend/events.ts'
import type { DurableState } from '../backend/durable-state.ts'
import { isFinal } from '../backend/is-final.ts'
import type { Found, Purged, Witness } from './witness.ts'

/** How an event stands with a destination. `underway`: decided, and no record yet; `waived`: destination or user are gone. */
type Standing = 'underway' | 'declined' | 'waived' | Delivery['state']

/**
 * Double-entry book-keeping over what is durable: each event that was accepted has, for each destination,
 * one standing; what is acked has none that is underway; what has an end keeps it.
 */
export class Accounts implements Witness {
  readonly #state: DurableState
  readonly #onViolation: (what: string) => void
  readonly #standings = new Map<string, Standing>()
  readonly #counts = new Map<Standing, number>()
  readonly #duplicates = new Set<string>()
  readonly #purged = new Set<string>()
  #unackedEvents = 0
  #events = 0

  constructor(state: DurableState, onViolation: (what: string) => void) {
    this.#state = state
    this.#onViolation = onViolation
  }

  /** How many events for one destination have come to an end, or were declined. */
  get ended(): number {
    const ends = ['declined', 'waived', 'delivered', 'rejected', 'expired'] as const
    return ends.reduce((sum, standing) => sum + this.count(standing), 0)
  }

  get events(): number {
    return this.#events
  }

  /** Whether nothing is left to do. */
  get areSettled(): boolean {
    return this.#unackedEvents === 0 && this.ended === this.#standings.size
  }

  count(standing: Standing): number {
    return this.#counts.get(standing) ?? 0
  }

  appended(events: readonly AcceptedEvent[]): void {
    this.#unackedEvents += events.length
    this.#events += events.length
  }

  archived(event: AcceptedEvent, found: Found, declined: readonly Declined[]): void {
    if (found === 'duplicate') {
      this.#duplicates.add(event.id)
      return
    }
    for (const id of found === 'first' ? this.#state.destinations.keys() : [])
      this.#move(pair(event.id, id), 'underway')
    for (const { destinationId } of declined) this.#move(pair(event.id, destinationId), 'declined')
  }

  recorded(_before: Delivery | undefined, offered: Delivery, isTaken: boolean): void {
    const key = pair(offered.eventId, offered.destinationId)
    if (this.#purged.has(offered.eventId))
      this.#onViolation(`${key}: recorded though its user was deleted`)
    if (this.#standings.get(key) === 'declined')
      this.#onViolation(`${key}: declined, and delivered`)
    if (isTaken) this.#move(key, offered.state)
  }

  acked(events: readonly AcceptedEvent[]): void {
    this.#unackedEvents -= events.length
    for (const { id } of events) {
      if (this.#duplicates.has(id)) continue
      if (!this.#state.events.has(id)) this.#onViolation(`${id} was acked before it was archived`)
      for (const destinationId of this.#state.destinations.keys()) {
        const standing = this.#standings.get(pair(id, destinationId))
        if (standing === undefined || standing === 'underway')
          this.#onViolation(`${id} was acked without a record for ${destinationId}`)
      }
    }
  }

  /** A destination is gone: what is underway to it need not arrive any more. */
  removed(destinationId: string): void {
    for (const [key, standing] of this.#standings) {
      if (standing === 'underway' && key.endsWith(destinationId)) this.#move(key, 'waived')
    }
  }

  purged({ eventIds, unacked }: Purged): void {
    this.#unackedEvents -= unacked
    for (const eventId of eventIds) {
      this.#purged.add(eventId)
      for (const destinationId of this.#state.destinationIds) {
        const key = pair(eventId, destinationId)
        if (this.#standings.has(key)) this.#put(key, 'waived')
      }
    }
  }

  /** A call was answered 200: it must be durable by now. */
  promised(event: AcceptedEvent): void {
    const isKept =
      this.#duplicates.has(event.id) ||
      this.#purged.has(event.id) ||
      this.#state.events.has(event.id) ||
      this.#state.log.values().some((entry) => entry.includes(event))
    if (!isKept) this.#onViolation(`${event.id} was answered 200 and is not kept`)
  }

  /** events × destinations = declined + delivered + rejected + expired + held + pending + underway. */
  check(): void {
    const sum = this.#counts.values().reduce((total, count) => total + count, 0)
    if (sum !== this.#standings.size) this.#onViolation(`${sum} of ${this.#standings.size} stand`)
    if (this.#unackedEvents === 0 && this.count('underway') > 0)
      this.#onViolation(`${this.count('underway')} are underway and nothing is left in the log`)
    const kept = this.#state.deliveries.size
    const recorded = this.#standings.size - this.count('underway') - this.count('declined')
    if (recorded - this.count('waived') !== kept)
      this.#onViolation(`${kept} deliveries are kept, ${recorded} are in the books`)
  }

  /** What has no end, in words. */
  unsettled(): string[] {
    return [...this.#standings]
      .filter(([, standing]) => !isEnd(standing))
      .map(([key, standing]) => `${key} ends ${standing}`)
  }

  #move(key: string, to: Standing): void {
    const from = this.#standings.get(key)
    if (from !== undefined && isFinal({ state: from } as Delivery))
      this.#onViolation(`${key} left ${from} for ${to}`)
    this.#put(key, to)
  }

  #put(key: string, to: Standing): void {
    const from = this.#standings.get(key)
    if (from !== undefined) this.#counts.set(from, this.count(from) - 1)
    this.#standings.set(key, to)
    this.#counts.set(to, this.count(to) + 1)
  }
}

function isEnd(standing: Standing): boolean {
  return (
    standing === 'declined' || standing === 'waived' || isFinal({ state: standing } as Delivery)
  )
}

function pair(eventId: string, destinationId: string): string {
  return `${eventId} for ${destinationId}`
}
