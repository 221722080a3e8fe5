import type { LookupAddress } from 'node:dns'
import { isIP, connect as connectTcp, type Socket } from 'node:net'
import { type SecureContext, connect as connectTls } from 'node:tls'
import type { Deadline } from './deadline.ts'

const KEEP_ALIVE_PROBE_MS = 60_000

export interface Target {
  readonly port: number
  readonly addresses: readonly LookupAddress[]
}

/** How long to try an address before also trying the next one (RFC 8305 §5). */
const NEXT_TRY_MS = 250

/**
 * Connects over TCP to the first address that accepts. Connection attempts start 250 ms apart or after a failure, and
 * run in parallel until one connects or the deadline passes (RFC 8305).
 * @throws the error of the only address, an `AggregateError`, or the error of the deadline
 */
export async function openTcp({ port, addresses }: Target, deadline: Deadline): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const untried = alternating(addresses)
  const tries = new Set<Socket>()
  const errors: Error[] = []
  let cancelTimer = (): void => undefined
  const tryNext = (): void => {
    cancelTimer()
    const next = untried.shift()
    if (next === undefined) return
    const socket = connectTcp({ host: next.address, port })
    tries.add(socket)
    socket.once('connect', () => resolve(socket))
    // This listener is kept: an error may come before undici adds its own.
    socket.on('error', (error) => {
      tries.delete(socket)
      errors.push(error)
      if (tries.size === 0 && untried.length === 0) reject(combineErrors(errors))
      tryNext()
    })
    if (untried.length > 0) cancelTimer = deadline.after(NEXT_TRY_MS, tryNext)
  }
  tryNext()
  let connected: Socket | undefined
  try {
    connected = await deadline.race(promise)
    return connected.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
  } finally {
    untried.length = 0
    cancelTimer()
    for (const socket of tries) if (socket !== connected) socket.destroy()
  }
}

/**
 * Alternates between the address families, beginning with the family of the first address: one family may have no
 * route.
 */
function alternating(addresses: readonly LookupAddress[]): LookupAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const second = addresses.filter(({ family }) => family !== addresses[0]?.family)
  const pairs = first.flatMap((each, index) => [each, ...second.slice(index, index + 1)])
  return [...pairs, ...second.slice(first.length)]
}

function combineErrors(errors: readonly Error[]): Error {
  return errors.length === 1
    ? errors[0]!
    : new AggregateError(errors, 'Could not connect to any address of the host.')
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
  return waitUntilOpen('secureConnect', deadline, secured)
}

export function connectionClosedError(): Error {
  return Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
}

async function waitUntilOpen(
  event: 'secureConnect',
  deadline: Deadline,
  socket: Socket,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  socket.on('error', reject)
  socket.once('close', () => reject(connectionClosedError()))
  socket.once(event, () => resolve(socket))
  try {
    return await deadline.race(promise)
  } catch (error) {
    socket.destroy()
    throw error
  }
}
