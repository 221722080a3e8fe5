import { type Clock, systemClock } from '../../../client/src/clock.ts'

const SPEED = 1000

/** Runs a thousand times faster than the system's clock, and records the delays that the client requests. */
export class QuickClock implements Clock {
  readonly delaysMs: number[] = []
  readonly #startedAt = systemClock.now()

  now(): number {
    return this.#startedAt + (systemClock.now() - this.#startedAt) * SPEED
  }

  after(delayMs: number, task: () => void, keepsAlive?: boolean): () => void {
    this.delaysMs.push(delayMs)
    return systemClock.after(delayMs / SPEED, task, keepsAlive)
  }
}

/** With a `QuickClock`, prevents request timeouts and automatic flushes. */
export const NO_TIMEOUTS = { timeoutMs: 100_000_000, flushAfter: 100_000_000 } as const
