import { once } from 'node:events'
import type { ListenOptions, Server } from 'node:net'

/** Only this machine reaches them. A machine or a container may have no IPv4. */
const ADDRESSES = ['127.0.0.1', '::1'] as const

/** The codes of an address that the machine does not have. */
const MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** The machine has no loopback address. */
class NoLoopback extends Error {
  override readonly name = 'NoLoopback'
}

/** Makes the server listen on a free port of loopback. Resolves with the address. @throws {NoLoopback} */
export async function listenOnLoopback(
  server: Server,
  options: Pick<ListenOptions, 'reusePort'> = {},
): Promise<string> {
  for (const host of ADDRESSES) {
    server.listen({ ...options, host, port: 0 })
    try {
      await once(server, 'listening')
      return host
    } catch (error) {
      if (!MISSING.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  throw new NoLoopback(
    'This machine has neither 127.0.0.1 nor ::1, and the inspector needs one of them. Bring the loopback interface up: ip link set lo up',
  )
}
