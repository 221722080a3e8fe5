import type { AcceptedEvent, Json } from '@hookline/protocol'

/** What a receiver has heard of one trait of one user. */
interface Heard {
  readonly value: Json
  readonly at: number
}

/** A receiver that only listens: for each user and trait it believes the identify call with the latest `timestamp`. */
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

  /** What it believes of a trait, by userId, without users that have no value. */
  believes(key: string): Readonly<Record<string, Json>> {
    const users = [...(this.#heard.get(key) ?? [])].map(
      ([userId, { value }]) => [userId, value] as const,
    )
    return Object.fromEntries(users.filter(([, value]) => value !== false && value !== null))
  }
}
