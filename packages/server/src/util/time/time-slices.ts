import type { Clock } from './clock.ts'

/** The most time that a loop takes of one turn of the event loop. */
export const MAX_SLICE_MS = 10

/**
 * Makes a loop yield to the event loop by time. A loop whose awaits all find resolved promises runs before every timer and
 * socket, for as long as it has work: such a loop calls `yieldIfOver` in each round.
 */
export class TimeSlices {
  readonly #clock: Pick<Clock, 'now' | 'turn'>
  #startedAt: number

  constructor(clock: Pick<Clock, 'now' | 'turn'>) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** Resolves in the next turn of the event loop if the slice is over, and else at once. */
  async yieldIfOver(): Promise<void> {
    if (this.#clock.now() - this.#startedAt < MAX_SLICE_MS) return
    await this.#clock.turn()
    this.#startedAt = this.#clock.now()
  }
}
