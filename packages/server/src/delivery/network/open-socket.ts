import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, connect as connectTcp, type Socket } from 'node:net'
import { type SecureContext, connect as connectTls } from 'node:tls'
import type { Deadline } from './deadline.ts'

const KEEP_ALIVE_PROBE_MS = 60_000

/** A host with its addresses. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly addresses: readonly LookupAddress[]
}

/** Connects by TCP. Tries several addresses one after the other, a quarter of a second apart (RFC 8305). */
export async function openTcp(
  { host, port, addresses }: Target,
  deadline: Deadline,
): Promise<Socket> {
  const lookup = (
    _host: string,
    _options: LookupOptions,
    callback: (error: null, addresses: LookupAddress[]) => void,
  ) => callback(null, [...addresses])
  const connecting = connectTcp({ host, port, lookup, autoSelectFamily: true })
  const socket = await opened('connect', deadline, connecting)
  return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
}

/** Opens TLS on a socket. The certificate must be valid for the host. */
export function openTls(
  host: string,
  { socket, secureContext }: { readonly socket: Socket; readonly secureContext: SecureContext },
  deadline: Deadline,
): Promise<Socket> {
  const secured = connectTls({
    socket,
    host,
    secureContext,
    // Explicit, because an environment variable can disable the default.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
  })
  return opened('secureConnect', deadline, secured)
}

/** The error of a connection that the other side has closed. */
export function connectionClosed(): Error {
  return Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
}

/** The socket after the event. When the event does not come, the socket is destroyed. */
async function opened(
  event: 'connect' | 'secureConnect',
  deadline: Deadline,
  socket: Socket,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  // This listener stays: an error may come before undici adds its own.
  socket.on('error', reject)
  socket.once('close', () => reject(connectionClosed()))
  socket.once(event, () => resolve(socket))
  try {
    return await deadline.race(promise)
  } catch (error) {
    socket.destroy()
    throw error
  }
}
