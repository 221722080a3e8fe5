import type { Clock } from '../../util/time/clock.ts'

/**
 * How the dispatcher's responsibility for a task ends: its outcome is durable, or it is back in the log or the backend.
 */
export type TaskEnd = 'recorded' | 'released'

/**
 * Counts the dispatcher's tasks. At any time, the tasks taken equal those recorded, released and in the lanes. The lanes
 * count their own tasks, so a task that is lost or ended twice shows as an imbalance.
 */
export class TaskAccounting {
  readonly #clock: Clock
  #taken = 0
  #ended = 0
  /** When a task ended last, or came when there was none. */
  #progressAt: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#progressAt = clock.now()
  }

  /** The dispatcher took a task. */
  take(): void {
    if (this.#taken === this.#ended) this.#progressAt = this.#clock.now()
    this.#taken++
  }

  /** Tasks have ended. `undefined`: they failed with an error, and their outcome is unknown. */
  end(end: TaskEnd | undefined, tasks = 1): void {
    if (end !== undefined) this.#ended += tasks
    this.#progressAt = this.#clock.now()
  }

  /** How long there have been tasks and none of them ended; 0 when there are none. */
  get stillForMs(): number {
    return this.#taken === this.#ended ? 0 : this.#clock.now() - this.#progressAt
  }

  /** How many tasks were lost; negative when tasks ended twice. `inLanes`: the tasks in the lanes now. */
  imbalance(inLanes: number): number {
    return this.#taken - this.#ended - inLanes
  }
}
