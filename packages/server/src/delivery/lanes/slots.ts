import type { DeliveryTask } from './lane.ts'

/** Retries may take this share of the slots, so they never crowd out first rounds. */
const RETRY_SHARE = 1 / 4

/** The rounds that this node may have in flight. A retry is a round beyond the first. */
export class Slots {
  readonly #most: number
  #taken = 0
  #takenByRetries = 0

  constructor(most: number) {
    this.#most = most
  }

  get hasFree(): boolean {
    return this.#taken < this.#most
  }

  /** Whether a retry may take a slot. */
  get mayRetry(): boolean {
    return this.#takenByRetries < Math.max(1, Math.floor(this.#most * RETRY_SHARE))
  }

  take({ delivery }: DeliveryTask): void {
    if (delivery.rounds > 0) this.#takenByRetries++
    this.#taken++
  }

  free({ delivery }: DeliveryTask): void {
    if (delivery.rounds > 0) this.#takenByRetries--
    this.#taken--
  }
}
