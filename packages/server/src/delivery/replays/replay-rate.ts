const SECOND_MS = 1_000

/** Limits how many deliveries a replay makes due in a second. */
export class ReplayRate {
  readonly #perSecond: number
  #secondBegan = -Infinity
  #used = 0

  /** @param perSecond the limit; Infinity for none */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** How many deliveries it may make due now. */
  allowance(now: number): number {
    // A clock that was set back begins a new second, too. Otherwise the replay would wait for the old time to come.
    if (now >= this.#secondBegan + SECOND_MS || now < this.#secondBegan) {
      this.#secondBegan = now
      this.#used = 0
    }
    return Math.max(0, this.#perSecond - this.#used)
  }

  use(deliveries: number): void {
    this.#used += deliveries
  }

  /** The time until the allowance is above 0, in milliseconds. */
  waitMs(now: number): number {
    return this.allowance(now) > 0 ? 0 : this.#secondBegan + SECOND_MS - now
  }
}
