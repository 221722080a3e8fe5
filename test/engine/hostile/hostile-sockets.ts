/** The thread of `HostileClients`: it opens the connections, says when all of them are open, and sends the bytes. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

export interface HostileSockets {
  readonly port: number
  readonly localAddress: string
  readonly count: number
  readonly bytes: string
}

const { port, localAddress, count, bytes } = workerData as HostileSockets
// A socket that is not read does not keep the thread alive, and the end of the thread would close it.
parentPort!.on('message', () => undefined)
const sockets = Array.from({ length: count }, () =>
  connect({ port, host: '127.0.0.1', localAddress }).pause(),
)
await Promise.all(sockets.map((socket) => once(socket, 'connect')))
parentPort!.postMessage('open')
for (const socket of sockets) {
  // The service may reset the connection at any moment.
  socket.on('error', () => undefined)
  socket.write(bytes)
}
