import { type Clock, systemClock } from '../../../server/src/util/time/clock.ts'

/** The system's clock with an offset that a test can change. Timers run as usual. */
export class AdjustableClock implements Clock {
  #offsetMs = 0
  #passedMs = 0

  now(): number {
    return systemClock.now() + this.#passedMs
  }

  wall(): number {
    return systemClock.wall() + this.#offsetMs + this.#passedMs
  }

  after(delayMs: number, task: () => void): () => void {
    return systemClock.after(delayMs, task)
  }

  turn(): Promise<void> {
    return systemClock.turn()
  }

  /** Simulates that this much time has passed, without running timers. */
  pass(ms: number): void {
    this.#passedMs += ms
  }

  adjust(ms: number): void {
    this.#offsetMs += ms
  }
}
