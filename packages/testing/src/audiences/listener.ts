import type { AcceptedEvent, Json } from '@hookline/protocol'

interface Heard {
  readonly value: Json
  readonly at: number
}

/** A receiver that keeps, for each trait of a user, the identify call with the latest `timestamp`. */
export class Listener {
  readonly #heard = new Map<string, Map<string, Heard>>()

  hear({ event: { userId, traits = {}, timestamp } }: Pick<AcceptedEvent, 'event'>): void {
    const at = Date.parse(timestamp)
    for (const [key, value] of Object.entries(traits)) {
      const ofKey = this.#heard.get(key) ?? new Map<string, Heard>()
      this.#heard.set(key, ofKey)
      const last = ofKey.get(userId!)
      if (last === undefined || at >= last.at) ofKey.set(userId!, { value: value!, at })
    }
  }

  /** Values of a trait by userId. */
  believes(key: string): Readonly<Record<string, Json>> {
    const users = [...(this.#heard.get(key) ?? [])].map(
      ([userId, { value }]) => [userId, value] as const,
    )
    return Object.fromEntries(users.filter(([, value]) => value !== false && value !== null))
  }
}
