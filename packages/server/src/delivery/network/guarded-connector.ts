import { INSPECTOR_HOST, portRefusal } from '@hookline/protocol'
import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { LookupAddress } from 'node:dns'
import type { buildConnector } from 'undici'
import type { Clock } from '../../util/time/clock.ts'
import type { AddressGuard } from './address-guard.ts'
import { AttemptTimer } from './attempt-timer.ts'
import { Deadline } from './deadline.ts'
import {
  AddressForbiddenError,
  DeadlineExceededError,
  NameUnresolvedError,
  PortForbiddenError,
} from './network-errors.ts'
import { connectionClosedError, openTcp, openTls } from './open-socket.ts'
import type { ProxyTunnel } from './proxy-tunnel.ts'
import { InProcessConnections, type InProcessReceiver } from './in-process-receiver.ts'

/**
 * The time limit for looking up the host of a proxied request. The proxy resolves the name anyway, and Hookline's own name server may
 * be unreachable.
 */
const PROXY_LOOKUP_MS = 1_000

export interface GuardedConnectorOptions {
  readonly clock: Clock
  /** For DNS lookup, TCP, TLS and CONNECT together, unless the attempt has its own timeout. */
  readonly timeoutMs: number
  readonly guard: AddressGuard
  /** Reserved ports that webhooks may use. */
  readonly allowedPorts: ReadonlySet<number>
  readonly resolver: { lookup(host: string): Promise<readonly LookupAddress[]> }
  /** For connections without a client certificate. */
  readonly secureContext: SecureContext
  readonly tunnel?: Pick<ProxyTunnel, 'open'> | undefined
  /** The inspector of this service. Without it, its host is an ordinary name. */
  readonly inspector?: InProcessReceiver | undefined
}

/**
 * Opens sockets for undici in three steps: looks up the host (all its addresses and the port must be permitted),
 * connects over TCP (the remote address must be permitted), and opens TLS (the certificate must be valid for the host).
 * Nothing is written before the second check, and no request before the third.
 *
 * With a proxy, the second step is a tunnel, and the proxy resolves the host. So the first step refuses addresses that
 * it finds forbidden, and the proxy must refuse the rest. Requests to the inspector never leave the process.
 */
export class GuardedConnector implements Disposable {
  readonly connect: buildConnector.connector
  readonly #options: GuardedConnectorOptions
  readonly #inspector: InProcessConnections | undefined
  readonly #closing = new AbortController()

  constructor(options: GuardedConnectorOptions) {
    this.#options = options
    const { clock, inspector } = options
    this.#inspector = inspector && new InProcessConnections(inspector, clock)
    this.connect = this.connectWith(options.secureContext)
  }

  /** For receivers that require a client certificate. */
  connectWith(secureContext: SecureContext): buildConnector.connector {
    return (target, callback) => {
      this.#open(target, secureContext, AttemptTimer.current).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      )
    }
  }

  /** Aborts pending connections. */
  [Symbol.dispose](): void {
    this.#closing.abort(new Error('The sender was closed.'))
  }

  async #open(
    target: buildConnector.Options,
    secureContext: SecureContext,
    timer?: AttemptTimer,
  ): Promise<Socket> {
    if (isInspector(target) && this.#inspector) return this.#inspector.open()
    using deadline = this.#deadlineOf(timer)
    const host = target.hostname
    timer?.enter(isIP(host) === 0 ? 'lookup' : 'connect')
    const isTls = target.protocol === 'https:'
    const port = this.#permittedPort(target.port || (isTls ? '443' : '80'))
    const socket = await this.#openPlain({ host, port, timer }, deadline)
    if (isTls) timer?.enter('tls')
    const open = isTls ? await openTls(host, { socket, secureContext }, deadline) : socket
    timer?.enter('response')
    return open
  }

  /** Opens a socket without TLS to a mail server. The ports of mail servers are permitted. */
  async openForMail(
    { host, port }: { readonly host: string; readonly port: number },
    timer: AttemptTimer,
    deadline: Deadline,
  ): Promise<Socket> {
    timer.enter(isIP(host) === 0 ? 'lookup' : 'connect')
    this.#permittedPort(String(port), { isMail: true })
    const socket = await this.#openPlain({ host, port, timer }, deadline)
    timer.enter('response')
    return socket
  }

  #openPlain(to: Receiver, deadline: Deadline): Promise<Socket> {
    const { tunnel } = this.#options
    return tunnel ? this.#openTunnel(tunnel, to, deadline) : this.#openDirectly(to, deadline)
  }

  #deadlineOf(timer: AttemptTimer | undefined): Deadline {
    const { clock, timeoutMs } = this.#options
    const afterMs = timer?.timeoutMs ?? timeoutMs
    return new Deadline({ clock, afterMs, signal: this.#closing.signal })
  }

  async #openDirectly({ timer, ...to }: Receiver, deadline: Deadline): Promise<Socket> {
    const addresses = await deadline.race(this.#permittedAddresses(to.host))
    timer?.enter('connect')
    const socket = await openTcp({ port: to.port, addresses }, deadline)
    this.#assertPermitted(to.host, socket)
    return socket
  }

  async #openTunnel(
    tunnel: Pick<ProxyTunnel, 'open'>,
    { host, port, timer }: Receiver,
    deadline: Deadline,
  ): Promise<Socket> {
    await this.#refuseForbidden(host, deadline)
    timer?.enter('connect')
    return tunnel.open(host, port, deadline)
  }

  /** Ignores a failed lookup: behind a proxy, often only the proxy can resolve a name. */
  async #refuseForbidden(host: string, deadline: Deadline): Promise<void> {
    const { clock } = this.#options
    const { signal } = deadline
    using limit = new Deadline({ clock, afterMs: PROXY_LOOKUP_MS, signal })
    try {
      await limit.race(this.#permittedAddresses(host))
    } catch (error) {
      const isUnknown =
        error instanceof NameUnresolvedError || error instanceof DeadlineExceededError
      if (!isUnknown || signal.aborted) throw error
    }
  }

  #permittedPort(text: string, options?: Parameters<typeof portRefusal>[2]): number {
    const port = Number(text)
    const service = portRefusal(port, this.#options.allowedPorts, options)
    if (service !== undefined) throw new PortForbiddenError(port, service)
    return port
  }

  async #permittedAddresses(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host)
    if (family === 0) return this.#options.resolver.lookup(host)
    const why = this.#options.guard.refusal(host)
    if (why !== undefined) throw new AddressForbiddenError(host, host, why)
    return [{ address: host, family }]
  }

  #assertPermitted(host: string, socket: Socket): void {
    const address = socket.remoteAddress
    // Node drops the remote address of a socket that the receiver has closed.
    const why = address === undefined ? undefined : this.#options.guard.refusal(address)
    if (address !== undefined && why === undefined) return
    socket.destroy()
    throw address === undefined || why === undefined
      ? connectionClosedError()
      : new AddressForbiddenError(host, address, why)
  }
}

/** Exactly its URL: no other scheme or port. */
function isInspector({ protocol, hostname, port }: buildConnector.Options): boolean {
  return protocol === 'http:' && hostname === INSPECTOR_HOST && port === ''
}

interface Receiver {
  readonly host: string
  readonly port: number
  readonly timer: AttemptTimer | undefined
}
