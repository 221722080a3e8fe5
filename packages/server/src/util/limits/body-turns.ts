import type { IncomingMessage } from 'node:http'
import type { Clock } from '../time/clock.ts'

/** Maximum bytes of refused bodies that are read and dropped per turn of the event loop. */
export const DROPPED_BYTES_PER_TURN = 4 * 1024 * 1024

/** Returns the size of the processed body in bytes. */
type Work = () => number

/** Processes bodies in order, up to a number of bytes per turn: 64 large batches at once would block for a second. */
export class BodyTurns {
  readonly #clock: Pick<Clock, 'turn'>
  readonly #bytesPerTurn: number
  #bytesLeft: number
  #waiting: Work[] = []
  #isScheduled = false

  constructor(clock: Pick<Clock, 'turn'>, bytesPerTurn: number) {
    this.#clock = clock
    this.#bytesPerTurn = bytesPerTurn
    this.#bytesLeft = bytesPerTurn
  }

  get isOpen(): boolean {
    return this.#waiting.length === 0 && this.#bytesLeft > 0
  }

  run(work: Work): void {
    this.#schedule()
    if (this.isOpen) this.#bytesLeft -= work()
    else this.#waiting.push(work)
  }

  /** Counts a chunk. If the turn has no bytes left, pauses the request; the chunk then counts in the turn that resumes it. */
  read(request: IncomingMessage, chunk: Buffer): void {
    if (this.isOpen) return this.run(() => chunk.length)
    request.pause()
    this.run(() => {
      request.resume()
      return chunk.length
    })
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    void this.#clock.turn().then(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isScheduled = false
    this.#bytesLeft = this.#bytesPerTurn
    let count = 0
    while (count < this.#waiting.length && this.#bytesLeft > 0) {
      this.#bytesLeft -= this.#waiting[count++]!()
    }
    this.#waiting = this.#waiting.slice(count)
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/**
 * Drains a body, so that the response is not lost. Closes the connection after `maxBytes`, or if this turn may read no more.
 * Call it before responding: Node would drain the body without a limit.
 */
export function dropRest(request: IncomingMessage, turns: BodyTurns, maxBytes: number): void {
  let dropped = 0
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > maxBytes || !turns.isOpen) request.socket.destroy()
    else turns.run(() => chunk.length)
  })
}
