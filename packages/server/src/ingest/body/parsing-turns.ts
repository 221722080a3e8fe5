import type { Clock } from '../../util/clock.ts'

/** In one turn of the event loop, bodies are parsed until they have this size together. The last one may go beyond it. */
const BYTES_A_TURN = 128 * 1024

interface Waiting {
  readonly bytes: number
  readonly resolve: () => void
}

/**
 * Lets bodies be parsed in the order in which they are complete, a few in each turn of the event loop. Without it, all
 * bodies that are complete in one turn are parsed in it: 64 large batches kept everything else waiting for a second.
 */
export class ParsingTurns {
  readonly #clock: Pick<Clock, 'turn'>
  #bytesLeft = BYTES_A_TURN
  #waiting: Waiting[] = []
  #isScheduled = false

  constructor(clock: Pick<Clock, 'turn'>) {
    this.#clock = clock
  }

  /** `undefined` where a body of this size may be parsed now; else resolves when it may. */
  take(bytes: number): Promise<void> | undefined {
    this.#schedule()
    if (this.#waiting.length === 0 && this.#bytesLeft > 0) {
      this.#bytesLeft -= bytes
      return undefined
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ bytes, resolve })
    return promise
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    void this.#clock.turn().then(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isScheduled = false
    this.#bytesLeft = BYTES_A_TURN
    let taken = 0
    while (taken < this.#waiting.length && this.#bytesLeft > 0) {
      const { bytes, resolve } = this.#waiting[taken++]!
      this.#bytesLeft -= bytes
      resolve()
    }
    this.#waiting = this.#waiting.slice(taken)
    if (this.#waiting.length > 0) this.#schedule()
  }
}
