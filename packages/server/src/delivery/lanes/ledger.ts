import type { Clock } from '../../util/clock.ts'

/** How the responsibility for a task ends: it is durable what became of it, or it is where it came from. */
export type TaskEnd = 'recorded' | 'released'

/**
 * The books of the dispatcher: at every moment, what it took is what it recorded, released, and has.
 * What it has is counted elsewhere, by the lanes; so a task that was lost or ended twice shows.
 */
export class Ledger {
  readonly #clock: Clock
  #taken = 0
  #ended = 0
  #parking = 0
  /** When a task ended last, or came where there was none. */
  #movedAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#movedAt = clock.now()
  }

  /** A task came. */
  take(): void {
    if (this.#taken === this.#ended) this.#movedAt = this.#clock.now()
    this.#taken++
  }

  /** A task is on its way into the backend without a lane. */
  park(): void {
    this.#parking++
  }

  /** A task that was in no lane is gone. */
  parked(end: TaskEnd | undefined): void {
    this.#parking--
    this.end(end)
  }

  /** The responsibility for so many tasks is over; `undefined`: nobody knows what became of them. */
  end(end: TaskEnd | undefined, tasks = 1): void {
    if (end !== undefined) this.#ended += tasks
    this.#movedAt = this.#clock.now()
  }

  /** How long there has been work of which none ended; 0 where there is none. */
  get stillForMs(): number {
    return this.#taken === this.#ended ? 0 : this.#clock.now() - this.#movedAt
  }

  /** Tasks unaccounted for, or accounted for twice (below zero), when the lanes hold so many. */
  imbalance(heldInLanes: number): number {
    return this.#taken - this.#ended - this.#parking - heldInLanes
  }
}
