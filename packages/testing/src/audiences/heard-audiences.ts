import type { AcceptedEvent, Json } from '@hookline/protocol'
import { Listener } from './listener.ts'

/** The body of a webhook, as far as it tells a value of a user. */
interface Told {
  readonly userId: string
  readonly messageId: string
  readonly timestamp: string
  readonly traits: Readonly<Record<string, Json>>
  readonly context: { readonly audience?: object; readonly computedTrait?: object }
}

/** A receiver's view of audiences and computed traits: it knows nothing but the bodies that it got. */
export class HeardAudiences {
  readonly #listener = new Listener()
  /** What was told, by key, user and timestamp: a repeated call must be the same. */
  readonly #calls = new Map<string, string>()
  /** Calls that came again as another one. Empty unless there is a bug. */
  readonly contradictions: string[] = []
  /** Calls, repeated ones included. */
  count = 0

  /** Takes the body of a request. Returns whether it tells of an audience or a computed trait. */
  hear(body: Buffer): boolean {
    const event = JSON.parse(body.toString()) as Told
    if (!event.context.audience && !event.context.computedTrait) return false
    this.count++
    const [key = ''] = Object.keys(event.traits)
    const moment = `${key} ${event.userId} ${event.timestamp}`
    // A sync that tells an added destination what others know already adds a part to the messageId.
    const change = event.messageId.split(':').slice(0, 4).join(':')
    const call = `${change} ${JSON.stringify(event.traits[key])}`
    const before = this.#calls.get(moment)
    if (before !== undefined && before !== call)
      this.contradictions.push(`${moment}: ${before}, ${call}`)
    this.#calls.set(moment, call)
    this.#listener.hear({ event } as unknown as AcceptedEvent)
    return true
  }

  /** The users that have a value of this trait, and their values. */
  believes(key: string): Readonly<Record<string, Json>> {
    return this.#listener.believes(key)
  }

  /** The users who belong to an audience, in order. */
  members(key: string): readonly string[] {
    return Object.keys(this.believes(key)).toSorted()
  }
}
