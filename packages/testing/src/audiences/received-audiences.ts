import type { AcceptedEvent, Json } from '@hookline/protocol'
import { ReceivedTraits } from './received-traits.ts'

interface AnnouncedValue {
  readonly userId: string
  readonly messageId: string
  readonly timestamp: string
  readonly traits: Readonly<Record<string, Json>>
  readonly context: { readonly audience?: object; readonly computedTrait?: object }
}

/** The state of audiences and computed traits that a receiver derives from request bodies alone. */
export class ReceivedAudiences {
  readonly #receivedTraits = new ReceivedTraits()
  /** By key, user and timestamp: a repeated call must be identical. */
  readonly #calls = new Map<string, string>()
  /** Calls that were repeated with different content. Empty unless there is a bug. */
  readonly contradictions: string[] = []
  count = 0

  /** Returns whether the body announces an audience or computed trait. */
  receive(body: Buffer): boolean {
    const event = JSON.parse(body.toString()) as AnnouncedValue
    if (!event.context.audience && !event.context.computedTrait) return false
    this.count++
    const [key = ''] = Object.keys(event.traits)
    const moment = `${key} ${event.userId} ${event.timestamp}`
    // The messageId has an extra part if a sync sends existing values to an added destination.
    const change = event.messageId.split(':').slice(0, 4).join(':')
    const call = `${change} ${JSON.stringify(event.traits[key])}`
    const before = this.#calls.get(moment)
    if (before !== undefined && before !== call)
      this.contradictions.push(`${moment}: ${before}, ${call}`)
    this.#calls.set(moment, call)
    this.#receivedTraits.receive({ event } as unknown as AcceptedEvent)
    return true
  }

  /** Users with a value of this trait. */
  valuesOf(key: string): Readonly<Record<string, Json>> {
    return this.#receivedTraits.valuesOf(key)
  }

  members(key: string): readonly string[] {
    return Object.keys(this.valuesOf(key)).toSorted()
  }
}
