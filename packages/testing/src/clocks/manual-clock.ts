import { type Clock, nextTurn } from '../../../server/src/util/time/clock.ts'

/** A clock that advances only when a test calls `advance`. */
export class ManualClock implements Clock {
  #nowMs: number
  #wallAheadMs = 0
  #timers: { readonly at: number; readonly task: () => void }[] = []

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs
  }

  now(): number {
    return this.#nowMs
  }

  wall(): number {
    return this.#nowMs + this.#wallAheadMs
  }

  after(delayMs: number, task: () => void): () => void {
    const timer = { at: this.#nowMs + Math.max(delayMs, 0), task }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  readonly turn = nextTurn

  advance(ms: number): void {
    const until = this.#nowMs + ms
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > until) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#nowMs = next.at
      next.task()
    }
    this.#nowMs = until
  }

  /** Sets the machine's clock forward, or back if `ms` is negative. No time passes. */
  jump(ms: number): void {
    this.#wallAheadMs += ms
  }
}
