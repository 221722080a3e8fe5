import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'
import { MinHeap } from './min-heap.ts'

interface Timer {
  readonly at: number
  readonly order: number
  task: (() => void) | undefined
}

/** The clock of a simulation. Time passes in steps, from one timer to the next, without waiting. */
export class VirtualClock implements Clock {
  #nowMs: number
  #timersMade = 0
  readonly #timers = new MinHeap<Timer>((a, b) => (a.at === b.at ? a.order < b.order : a.at < b.at))

  constructor(nowMs = Date.UTC(2026, 0, 15, 12)) {
    this.#nowMs = nowMs
  }

  now(): number {
    return this.#nowMs
  }

  wall(): number {
    return this.#nowMs
  }

  after(delayMs: number, task: () => void): () => void {
    // Whole milliseconds, like system timers.
    const at = Math.max(this.#nowMs, Math.ceil(this.#nowMs + delayMs))
    const timer: Timer = { at, order: this.#timersMade++, task }
    this.#timers.add(timer)
    return () => (timer.task = undefined)
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.after(0, resolve))
  }

  /**
   * Advances to the next timer, and runs all timers due at that time. Without a timer before `until`, advances to `until`.
   */
  step(until: number): void {
    this.#dropCancelled()
    const at = this.#timers.top?.at ?? Infinity
    this.#nowMs = Math.min(at, until)
    if (at > until) return
    for (let timer = this.#timers.top; timer?.at === at; timer = this.#timers.top) {
      this.#timers.take()
      timer.task?.()
    }
  }

  #dropCancelled(): void {
    while (this.#timers.top !== undefined && this.#timers.top.task === undefined) {
      this.#timers.take()
    }
  }
}

/**
 * Resolves when all work of the last step is done. A simulated engine waits only for timers of its clock and, if it has threads,
 * for the ends of turns: a report is made at the end of one turn, and sent at the end of the next.
 * @param turns of the event loop
 */
export async function waitForTurns(turns = 1): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}
