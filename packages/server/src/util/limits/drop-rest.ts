import type { IncomingMessage } from 'node:http'
import type { BodyTurns } from './body-turns.ts'

/**
 * Reads and drops the rest of a body, because a connection closed in the middle of a request loses the response. It
 * closes the connection after `maxBytes`, or where `turns` has no room for more in this turn of the event loop: to read 1 GB
 * from 2,000 refused clients kept all others waiting for two seconds. Call it before the response is sent: otherwise Node
 * drops the rest without a limit.
 */
export function dropRest(request: IncomingMessage, turns: BodyTurns, maxBytes: number): void {
  let dropped = 0
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length
    if (dropped > maxBytes || !turns.isOpen) request.socket.destroy()
    else turns.run(() => chunk.length)
  })
}
