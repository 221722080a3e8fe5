import type { Clock } from '../../util/time/clock.ts'

/** In one turn of the event loop, bodies are parsed until they have this size together. The last one may go beyond it. */
const BYTES_A_TURN = 128 * 1024

/** Parses a body. Returns its size after decompression. */
type Parse = () => number

/**
 * Lets bodies be parsed in the order in which they are complete, a few in each turn of the event loop. Without it, all
 * bodies that are complete in one turn are parsed in it: 64 large batches kept everything else waiting for a second.
 */
export class ParsingTurns {
  readonly #clock: Pick<Clock, 'turn'>
  #bytesLeft = BYTES_A_TURN
  #waiting: Parse[] = []
  #isScheduled = false

  constructor(clock: Pick<Clock, 'turn'>) {
    this.#clock = clock
  }

  /** Whether a body may be parsed now. */
  get isOpen(): boolean {
    return this.#waiting.length === 0 && this.#bytesLeft > 0
  }

  /** Parses a body: now, or in one of the next turns. */
  run(parse: Parse): void {
    this.#schedule()
    if (this.isOpen) this.#bytesLeft -= parse()
    else this.#waiting.push(parse)
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
      this.#bytesLeft -= this.#waiting[taken++]!()
    }
    this.#waiting = this.#waiting.slice(taken)
    if (this.#waiting.length > 0) this.#schedule()
  }
}
