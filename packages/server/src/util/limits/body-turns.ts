import type { IncomingMessage } from 'node:http'
import type { Clock } from '../time/clock.ts'

/** Works on a body. Returns how many bytes that were. */
type Work = () => number

/**
 * Lets bodies be read in order, up to a number of bytes in each turn of the event loop; the last one may go beyond it.
 * Without it, 64 large batches that arrive together keep everything else waiting for a second.
 */
export class BodyTurns {
  readonly #clock: Pick<Clock, 'turn'>
  readonly #bytesATurn: number
  #bytesLeft: number
  #waiting: Work[] = []
  #isScheduled = false

  constructor(clock: Pick<Clock, 'turn'>, bytesATurn: number) {
    this.#clock = clock
    this.#bytesATurn = bytesATurn
    this.#bytesLeft = bytesATurn
  }

  /** Whether there is room for work now. */
  get isOpen(): boolean {
    return this.#waiting.length === 0 && this.#bytesLeft > 0
  }

  /** Does the work: now, or in one of the next turns. */
  run(work: Work): void {
    this.#schedule()
    if (this.isOpen) this.#bytesLeft -= work()
    else this.#waiting.push(work)
  }

  /**
   * Counts a chunk of a request that was read. If there is no room for more, the request pauses until its turn, which counts
   * as another chunk of this size.
   */
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
    this.#bytesLeft = this.#bytesATurn
    let taken = 0
    while (taken < this.#waiting.length && this.#bytesLeft > 0) {
      this.#bytesLeft -= this.#waiting[taken++]!()
    }
    this.#waiting = this.#waiting.slice(taken)
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/**
 * Reads and drops the rest of a body, because a connection closed in the middle of a request loses the response. Closes the
 * connection after `maxBytes`, or where `turns` has no room for more in this turn of the event loop. Call it before the
 * response is sent: otherwise Node drops the rest without a limit.
 */
export function dropRest(request: IncomingMessage, turns: BodyTurns, maxBytes: number): void {
  let dropped = 0
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > maxBytes || !turns.isOpen) request.socket.destroy()
    else turns.run(() => chunk.length)
  })
}
