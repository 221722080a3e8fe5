import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'

/**
 * The clock of one simulated process or thread. Everything it waits for is a timer of this clock, so nothing continues after
 * the clock is killed, as after `kill -9`.
 */
export class ProcessClock implements Clock {
  readonly #simulation: Clock
  readonly #process: ProcessClock | undefined
  #isAlive = true

  /** @param around the clock of the simulation or, for a thread, of the process */
  constructor(around: Clock) {
    this.#simulation = around
    this.#process = around instanceof ProcessClock ? around : undefined
  }

  /** Whether neither this clock nor its process was killed. */
  get isAlive(): boolean {
    return this.#isAlive && this.#process?.isAlive !== false
  }

  now(): number {
    return this.#simulation.now()
  }

  wall(): number {
    return this.#simulation.wall()
  }

  after(delayMs: number, task: () => void): () => void {
    return this.#simulation.after(delayMs, () => {
      if (this.#isAlive) task()
    })
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.after(0, resolve))
  }

  kill(): void {
    this.#isAlive = false
  }
}
