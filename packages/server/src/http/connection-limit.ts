import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Limits the connections of a server. When the last place is taken, the connection closes whose client has done nothing
 * for longest: first one that has no request or has not sent all of it, then one that waits with its next request, or has not
 * read all of the response. So many clients that never finish do not close the connections of those that do. A request that
 * the service is handling is never cut off. Where all are handled, a new connection is closed.
 *
 * The function that it returns ends the limit for a connection, which another server counts from now on.
 */
export function limitConnections(server: Server, most: number): (socket: Socket) => void {
  /** With the last response of each, in the order of their last requests. */
  const open = new Map<Socket, ServerResponse | undefined>()
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined)
    socket.once('close', () => open.delete(socket))
    if (open.size < most) return
    const idle =
      firstOf(open, (other, response) => other !== socket && isUnfinished(response)) ??
      firstOf(open, (other, response) => other !== socket && response!.writableEnded)
    if (idle) close(idle)
    else if (open.size > most) close(socket)
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!open.delete(socket)) return
    open.set(socket, response)
  })
  const close = (socket: Socket): void => {
    open.delete(socket)
    socket.destroy()
  }
  return (socket) => void open.delete(socket)
}

/** Whether the client has to send more. A request that is behind another one that is handled has no socket yet. */
function isUnfinished(response: ServerResponse | undefined): boolean {
  return response === undefined || (response.socket !== null && !response.req.complete)
}

function firstOf<K, V>(
  map: ReadonlyMap<K, V>,
  isFound: (key: K, value: V) => boolean,
): K | undefined {
  for (const [key, value] of map) if (isFound(key, value)) return key
  return undefined
}
