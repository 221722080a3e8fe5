import { type Clock, systemClock } from '../../packages/server/src/util/clock.ts'

/** The system's clock, but for jumps: its hands can be set, its timers run as ever. */
export class SkippingClock implements Clock {
  #skippedMs = 0

  now(): number {
    return systemClock.now() + this.#skippedMs
  }

  after(delayMs: number, task: () => void): () => void {
    return systemClock.after(delayMs, task)
  }

  /** Sets the hands forward, or back. */
  skip(ms: number): void {
    this.#skippedMs += ms
  }
}
