import type { DeliveryTask } from './lane.ts'

/** Rounds beyond the first may take this share of the slots: retries never crowd out what is new. */
const RETRY_SHARE = 1 / 4

/** The rounds this node may have in flight. */
export class Slots {
  readonly #most: number
  #taken = 0
  #takenByRetries = 0

  constructor(most: number) {
    this.#most = most
  }

  get areFree(): boolean {
    return this.#taken < this.#most
  }

  /** Whether a round beyond the first may take one. */
  get mayRetry(): boolean {
    return this.#takenByRetries < Math.max(1, Math.floor(this.#most * RETRY_SHARE))
  }

  take({ delivery }: DeliveryTask): void {
    if (delivery.rounds > 0) this.#takenByRetries++
    this.#taken++
  }

  give({ delivery }: DeliveryTask): void {
    if (delivery.rounds > 0) this.#takenByRetries--
    this.#taken--
  }
}
