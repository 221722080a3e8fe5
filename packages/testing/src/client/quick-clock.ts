import { type Clock, systemClock } from '../../../client/src/clock.ts'

const SPEED = 1000

/** Runs a thousand times as fast as the system's clock, and records the delays that the client asked for. */
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

/** With a `QuickClock`: no request times out, and no flush starts by itself. */
export const NO_TIMEOUTS = { timeoutMs: 100_000_000, flushAfter: 100_000_000 } as const
