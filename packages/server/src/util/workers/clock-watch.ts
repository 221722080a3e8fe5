import type { Counter, Gauge } from 'prom-client'
import { type Clock, MIN_JUMP_MS } from '../time/clock.ts'
import { sleep } from '../time/sleep.ts'
import type { Worker } from './worker.ts'

export interface ClockWatchOptions {
  readonly clock: Clock
  readonly metrics: {
    readonly clockJumps: Counter<'direction'>
    readonly clockOffset: Gauge
  }
  readonly logger: {
    readonly warn: (fields: object, event: 'clock.jumped' | 'clock.ahead_of_data') => void
  }
  /** Newest stored time, in milliseconds since the epoch; absent if nothing is stored. */
  readonly newestAt?: number | undefined
}

const EVERY_MS = 5_000
/** Removal by age ignores a forward jump of the clock for this long: an operator may correct it in the meantime. */
export const REMOVAL_DELAY_MS = 60 * 60 * 1000
/** A clock that is ahead of the stored data by more than this may be wrong. */
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000

/** Reports jumps of the system clock. Removal by age ignores a forward jump for an hour. Timers and due times are unaffected. */
export class ClockWatch implements Worker {
  readonly name = 'clock'
  readonly #options: ClockWatchOptions
  /** How far the system clock is ahead of `Clock.now`. */
  #offsetMs: number
  /** `#offsetMs`, delayed by one hour after a jump forward. */
  #trustedMs: number
  #trustedAgainAt = -Infinity
  #lastJump: { readonly ms: number; readonly at: number } | undefined

  constructor(options: ClockWatchOptions) {
    const { clock, newestAt = Infinity, logger } = options
    this.#options = options
    this.#offsetMs = clock.wall() - clock.now()
    this.#trustedMs = this.#offsetMs
    const aheadMs = clock.wall() - newestAt
    if (aheadMs <= MAX_AHEAD_MS) return
    this.#trustedMs -= aheadMs
    this.#trustedAgainAt = clock.now() + REMOVAL_DELAY_MS
    logger.warn({ newestAt: new Date(newestAt).toISOString(), aheadMs }, 'clock.ahead_of_data')
  }

  /** Reports a jump within the last hour. */
  get note(): string | undefined {
    this.#check()
    if (this.#lastJump === undefined) return undefined
    const { ms, at } = this.#lastJump
    if (this.#options.clock.now() - at >= REMOVAL_DELAY_MS) return undefined
    const seconds = Math.round(Math.abs(ms) / 1000)
    return `The system clock jumped ${directionOf(ms)} by ${seconds} s. Deliveries are not affected.`
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#check()
      await sleep(this.#options.clock, EVERY_MS, signal)
    }
  }

  /** The time for removal by age, in milliseconds since the epoch: the system clock, ignoring jumps forward for an hour. */
  removalTime(): number {
    this.#check()
    const now = this.#options.clock.now()
    if (now >= this.#trustedAgainAt) this.#trustedMs = this.#offsetMs
    return now + this.#trustedMs
  }

  #check(): void {
    const { clock, metrics, logger } = this.#options
    const offsetMs = clock.wall() - clock.now()
    metrics.clockOffset.set(offsetMs / 1000)
    const ms = offsetMs - this.#offsetMs
    if (Math.abs(ms) < MIN_JUMP_MS) return
    this.#offsetMs = offsetMs
    this.#lastJump = { ms, at: clock.now() }
    const direction = directionOf(ms)
    metrics.clockJumps.inc({ direction })
    logger.warn({ direction, byMs: Math.abs(ms) }, 'clock.jumped')
    if (offsetMs <= this.#trustedMs) this.#trustedMs = offsetMs
    else this.#trustedAgainAt = clock.now() + REMOVAL_DELAY_MS
  }
}

function directionOf(ms: number): 'forward' | 'back' {
  return ms > 0 ? 'forward' : 'back'
}
