const SECOND_MS = 1_000

/** How many deliveries a replay may make due now: at most so many in any second that it counts. */
export class ReplayRate {
  readonly #perSecond: number
  #secondBegan = -Infinity
  #used = 0

  /** @param perSecond Infinity for no limit */
  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  allowance(now: number): number {
    // A clock that was set back begins anew, too: else the replay would wait as long as it was set back.
    if (now >= this.#secondBegan + SECOND_MS || now < this.#secondBegan) {
      this.#secondBegan = now
      this.#used = 0
    }
    return Math.max(0, this.#perSecond - this.#used)
  }

  use(deliveries: number): void {
    this.#used += deliveries
  }

  /** How long until there is an allowance, in ms. */
  waitMs(now: number): number {
    return this.allowance(now) > 0 ? 0 : this.#secondBegan + SECOND_MS - now
  }
}
