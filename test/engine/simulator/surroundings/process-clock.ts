import type { Clock } from '../../../../packages/server/src/util/clock.ts'

/**
 * The clock of one process. Everything that a simulated process waits for is a timer of it, so once it
 * is killed nothing of that process goes on: it is as `kill -9`.
 */
export class ProcessClock implements Clock {
  readonly #world: Clock
  #isAlive = true

  constructor(world: Clock) {
    this.#world = world
  }

  now(): number {
    return this.#world.now()
  }

  after(delayMs: number, task: () => void): () => void {
    return this.#world.after(delayMs, () => {
      if (this.#isAlive) task()
    })
  }

  kill(): void {
    this.#isAlive = false
  }
}
