import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'

/**
 * The clock of one simulated process. Everything that the process waits for is a timer of this clock, so when the clock
 * is killed, nothing of the process continues, as after `kill -9`.
 */
export class ProcessClock implements Clock {
  readonly #simulation: Clock
  #isAlive = true

  constructor(simulation: Clock) {
    this.#simulation = simulation
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
