/** The thread of `HostileClients`: opens the connections, reports when all are open, and sends the bytes. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

export interface HostileSockets {
  readonly port: number
  readonly localAddress: string
  readonly count: number
  readonly bytes: string | Uint8Array
  /** Whether each connection reads the response and repeats the bytes. */
  readonly again: boolean
}

const { port, localAddress, count, bytes, again } = workerData as HostileSockets
const sockets = Array.from({ length: count }, () =>
  connect({ port, host: '127.0.0.1', localAddress }).pause(),
)
await Promise.all(sockets.map((socket) => once(socket, 'connect')))
// Keeps the thread running, because paused sockets do not: the connections would close after the bytes are written.
parentPort!.on('message', () => undefined)
parentPort!.postMessage('open')
for (const socket of sockets) {
  // The service may reset the connection at any moment.
  socket.on('error', () => undefined)
  if (again) socket.on('data', () => socket.write(bytes))
  socket.write(bytes)
}
