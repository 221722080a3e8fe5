import type { Clock } from '../../util/time/clock.ts'
import type { Readiness } from '../api/system-deps.ts'

/** The checks write to the disk, and pages of the console ask often. */
const KEPT_MS = 10_000

/** The result of the checks, at most ten seconds old. */
export class RecentReadiness {
  readonly #check: () => Promise<Readiness>
  readonly #clock: Clock
  #last: { readonly result: Promise<Readiness>; readonly at: number } | undefined

  constructor(check: () => Promise<Readiness>, clock: Clock) {
    this.#check = check
    this.#clock = clock
  }

  /** The result, and when the checks began: a time of `Clock.now`. */
  async read(): Promise<Readiness & { readonly at: number }> {
    const now = this.#clock.now()
    if (this.#last === undefined || now - this.#last.at >= KEPT_MS)
      this.#last = { result: this.#check(), at: now }
    const { result, at } = this.#last
    return { ...(await result), at }
  }
}
