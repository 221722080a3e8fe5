/** Retries may take this share of the slots, so they never crowd out first attempts. */
const RETRY_SHARE = 1 / 4

/** The attempts that this node may have in flight. */
export class Slots {
  readonly #most: number
  #taken = 0
  #takenByRetries = 0

  constructor(most: number) {
    this.#most = most
  }

  get free(): number {
    return this.#most - this.#taken
  }

  /** Whether there is an attempt in flight. */
  get isBusy(): boolean {
    return this.#taken > 0
  }

  /** Whether a retry may take a slot. */
  get mayRetry(): boolean {
    return this.#takenByRetries < Math.max(1, Math.floor(this.#most * RETRY_SHARE))
  }

  take({ isRetry }: { readonly isRetry: boolean }): void {
    if (isRetry) this.#takenByRetries++
    this.#taken++
  }

  release({ isRetry }: { readonly isRetry: boolean }): void {
    if (isRetry) this.#takenByRetries--
    this.#taken--
  }
}
