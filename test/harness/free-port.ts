import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A free port on loopback, for a service that must restart at the same address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const closed = once(server, 'close')
  server.close()
  await closed
  return port
}
