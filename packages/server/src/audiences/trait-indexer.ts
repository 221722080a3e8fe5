import type { Profiles } from '../backend/profiles.ts'
import type { Clock } from '../util/time/clock.ts'
import { Recurring } from '../util/time/recurring.ts'
import { TimeSlices } from '../util/time/time-slices.ts'
import type { Worker } from '../util/workers/worker.ts'

/** How often it looks for a trait that was searched for the first time, perhaps on another node. */
const LOOK_MS = 2_000
/** An index that nobody uses for so long is removed: it costs writes. */
const UNUSED_MS = 7 * 24 * 60 * 60 * 1000

/** Fills the indexes of traits that were searched for, slice by slice, and removes those that nobody uses. */
export class TraitIndexer implements Worker {
  readonly name = 'trait-indexes'
  readonly #profiles: Pick<Profiles, 'index'>
  readonly #clock: Clock
  readonly #recurring: Recurring

  constructor({
    profiles,
    clock,
  }: {
    readonly profiles: Pick<Profiles, 'index'>
    readonly clock: Clock
  }) {
    this.#profiles = profiles
    this.#clock = clock
    this.#recurring = new Recurring({ clock, work: (signal) => this.#work(signal) })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #work(signal: AbortSignal): Promise<number> {
    const slices = new TimeSlices(this.#clock)
    while (!signal.aborted && (await this.#profiles.index(this.#clock.wall() - UNUSED_MS)))
      await slices.yieldIfOver()
    return LOOK_MS
  }
}
