import { portRefusal } from '@hookline/protocol'
import { isIP, connect as connectTcp, type Socket } from 'node:net'
import { type SecureContext, connect as connectTls } from 'node:tls'
import type { LookupAddress, LookupOptions } from 'node:dns'
import type { buildConnector } from 'undici'
import type { Clock } from '../../util/clock.ts'
import type { AddressGuard } from './address-guard.ts'
import { AttemptTimer } from './attempt-timer.ts'
import { Deadline } from './deadline.ts'
import { AddressForbidden, PortForbidden } from './network-errors.ts'

const KEEP_ALIVE_PROBE_MS = 60_000

export interface GuardedConnectorOptions {
  readonly clock: Clock
  /** For name look-up, TCP and TLS together. */
  readonly timeoutMs: number
  readonly guard: AddressGuard
  /** Ports that are not for web servers and may be reached all the same. */
  readonly allowedPorts: ReadonlySet<number>
  readonly resolver: { lookup(host: string): Promise<readonly LookupAddress[]> }
  readonly secureContext: SecureContext
}

/**
 * Opens the sockets for undici, in three steps. First it looks up the addresses of the host: all of them, and the port,
 * must be permitted. Then it connects by TCP: the remote address must be permitted. Then it opens TLS: the certificate
 * must be valid for the host. Nothing is written before the second check, and no request before the third.
 */
export class GuardedConnector implements Disposable {
  readonly #options: GuardedConnectorOptions
  readonly #closing = new AbortController()

  constructor(options: GuardedConnectorOptions) {
    this.#options = options
  }

  /** The value of undici's option `connect`. */
  readonly connect: buildConnector.connector = (target, callback) => {
    this.#open(target).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    )
  };

  /** Aborts the connections that are not open yet. */
  [Symbol.dispose](): void {
    this.#closing.abort(new Error('The sender was closed.'))
  }

  async #open(target: buildConnector.Options): Promise<Socket> {
    const { clock, timeoutMs } = this.#options
    const { signal } = this.#closing
    using deadline = new Deadline({ clock, afterMs: timeoutMs, signal })
    const timer = AttemptTimer.current
    const host = target.hostname
    timer?.enter(isIP(host) === 0 ? 'lookup' : 'connect')
    const isTls = target.protocol === 'https:'
    const port = this.#permittedPort(target.port || (isTls ? '443' : '80'))
    const addresses = await deadline.race(this.#permittedAddresses(host))
    timer?.enter('connect')
    const connecting = connectTcp(connectOptions(host, port, addresses))
    const socket = await opened('connect', deadline, connecting)
    this.#assertPermitted(host, socket)
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS)
    if (isTls) timer?.enter('tls')
    const open = isTls ? await this.#secured(host, socket, deadline) : socket
    timer?.enter('response')
    return open
  }

  #permittedPort(text: string): number {
    const port = Number(text)
    const service = portRefusal(port, this.#options.allowedPorts)
    if (service !== undefined) throw new PortForbidden(port, service)
    return port
  }

  async #permittedAddresses(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host)
    if (family === 0) return this.#options.resolver.lookup(host)
    const why = this.#options.guard.refusal(host)
    if (why !== undefined) throw new AddressForbidden(host, host, why)
    return [{ address: host, family }]
  }

  #assertPermitted(host: string, socket: Socket): void {
    const address = socket.remoteAddress
    // Node drops the remote address of a socket that the receiver has already closed.
    const why = address === undefined ? undefined : this.#options.guard.refusal(address)
    if (address !== undefined && why === undefined) return
    socket.destroy()
    throw address === undefined || why === undefined
      ? connectionClosed()
      : new AddressForbidden(host, address, why)
  }

  #secured(host: string, socket: Socket, deadline: Deadline): Promise<Socket> {
    const secured = connectTls({
      socket,
      host,
      secureContext: this.#options.secureContext,
      // Explicit, because an environment variable can disable the default.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    })
    return opened('secureConnect', deadline, secured)
  }
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

function connectionClosed(): Error {
  return Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' })
}

/** Tries several addresses one after the other, a quarter of a second apart (RFC 8305). */
function connectOptions(host: string, port: number, addresses: readonly LookupAddress[]) {
  const lookup = (
    _host: string,
    _options: LookupOptions,
    callback: (error: null, addresses: LookupAddress[]) => void,
  ) => callback(null, [...addresses])
  return { host, port, lookup, autoSelectFamily: true }
}
