import type { IncomingMessage } from 'node:http'

/** The most bytes of one body that are read and dropped. */
const MAX_DROPPED_BYTES = 16 * 1024 * 1024

/**
 * Reads and drops the rest of a body, because a connection closed in the middle of a request loses the response. It
 * closes the connection after 16 MB. Call it before the response is sent: otherwise Node drops the rest without a limit.
 */
export function dropRest(request: IncomingMessage): void {
  let dropped = 0
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > MAX_DROPPED_BYTES) request.socket.destroy()
  })
}
