import type { AcceptedEvent, Json } from '@hookline/protocol'

interface ReceivedValue {
  readonly value: Json
  readonly at: number
}

/**
 * The traits that a receiver keeps. For each trait of a user, the value in the identify call with the latest `timestamp` wins.
 */
export class ReceivedTraits {
  readonly #received = new Map<string, Map<string, ReceivedValue>>()

  receive({ event: { userId, traits = {}, timestamp } }: Pick<AcceptedEvent, 'event'>): void {
    const at = Date.parse(timestamp)
    for (const [key, value] of Object.entries(traits)) {
      const ofKey = this.#received.get(key) ?? new Map<string, ReceivedValue>()
      this.#received.set(key, ofKey)
      const last = ofKey.get(userId!)
      if (last === undefined || at >= last.at) ofKey.set(userId!, { value: value!, at })
    }
  }

  /** Values of a trait by userId. */
  valuesOf(key: string): Readonly<Record<string, Json>> {
    const users = [...(this.#received.get(key) ?? [])].map(
      ([userId, { value }]) => [userId, value] as const,
    )
    return Object.fromEntries(users.filter(([, value]) => value !== false && value !== null))
  }
}
