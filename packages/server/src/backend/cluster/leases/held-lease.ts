import type { Lease } from '../../leases.ts'
import type { Clock } from '../../../util/time/clock.ts'

export interface HeldLeaseOptions {
  readonly clock: Clock
  readonly leaseMs: number
  readonly everyMs: number
  /** When it was asked for: it lasts at least from then on. */
  readonly askedAt: number
  /** Whether this node still has it; `undefined` where nothing can say so now. */
  readonly renew: () => Promise<boolean | undefined>
  readonly giveUp: () => Promise<void>
}

/** A lease that renews itself until it is disposed of, or lost. */
export class HeldLease implements Lease {
  readonly #options: HeldLeaseOptions
  readonly #lost = new AbortController()
  #validUntil: number
  #cancel: () => void = () => undefined
  #renewing: Promise<void> | undefined

  constructor(options: HeldLeaseOptions) {
    this.#options = options
    this.#validUntil = options.askedAt + options.leaseMs
    this.#wait()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lose()
    await this.#renewing
    await this.#options.giveUp()
  }

  #wait(): void {
    const { clock, everyMs } = this.#options
    this.#cancel = clock.after(everyMs, () => {
      this.#renewing = this.#renewOnce()
    })
  }

  async #renewOnce(): Promise<void> {
    const { clock, leaseMs, renew } = this.#options
    const askedAt = clock.now()
    // A node that slept: whatever the database says, another node may have had it meanwhile.
    if (askedAt >= this.#validUntil) return this.#lose()
    const isHeld = await renew().catch(() => false)
    if (this.#lost.signal.aborted) return
    if (isHeld === true) this.#validUntil = askedAt + leaseMs
    if (isHeld === false || clock.now() >= this.#validUntil) return this.#lose()
    this.#wait()
  }

  #lose(): void {
    this.#cancel()
    this.#lost.abort()
  }
}
