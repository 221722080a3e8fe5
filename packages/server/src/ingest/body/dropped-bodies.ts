import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../util/time/clock.ts'

/** The most bytes of one body that are read and dropped. */
const BYTES_OF_ONE = 16 * 1024 * 1024
/** The most bytes that are read and dropped in one turn of the event loop. */
const BYTES_A_TURN = 4 * 1024 * 1024

/**
 * Reads and drops the rest of bodies that were refused, because a connection closed in the middle of a request loses the
 * response. It closes a connection after 16 MB. It also closes connections while the rests of all bodies exceed 4 MB in a turn
 * of the event loop: to read 1 GB from 2,000 refused clients kept all others waiting for two seconds.
 */
export class DroppedBodies {
  readonly #clock: Pick<Clock, 'turn'>
  #bytesOfTurn = 0

  constructor(clock: Pick<Clock, 'turn'>) {
    this.#clock = clock
  }

  /** Call it before the response is sent: otherwise Node drops the rest of the body without a limit. */
  dropRest(request: IncomingMessage): void {
    let dropped = 0
    request.on('data', (chunk: Buffer) => {
      dropped += chunk.length
      this.#count(chunk.length)
      if (dropped > BYTES_OF_ONE || this.#bytesOfTurn > BYTES_A_TURN) request.socket.destroy()
    })
  }

  #count(bytes: number): void {
    if (this.#bytesOfTurn === 0) void this.#clock.turn().then(() => (this.#bytesOfTurn = 0))
    this.#bytesOfTurn += bytes
  }
}
