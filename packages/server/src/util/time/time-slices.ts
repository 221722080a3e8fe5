import type { Clock } from './clock.ts'

/** How long a loop may run per turn of the event loop. */
export const MAX_SLICE_MS = 10

/** Yields to the event loop by time: a loop that awaits only resolved promises would block timers and sockets. */
export class TimeSlices {
  readonly #clock: Pick<Clock, 'now' | 'turn'>
  #startedAt: number

  constructor(clock: Pick<Clock, 'now' | 'turn'>) {
    this.#clock = clock
    this.#startedAt = clock.now()
  }

  /** Waits for the next turn of the event loop if the slice is over. */
  async yieldIfOver(): Promise<void> {
    if (this.#clock.now() - this.#startedAt < MAX_SLICE_MS) return
    await this.#clock.turn()
    this.#startedAt = this.#clock.now()
  }
}
