import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Client } from 'undici'
import type { Redacted } from '../../util/secrets/redacted.ts'
import type { Deadline } from './deadline.ts'
import { ProxyFailedError } from './network-errors.ts'
import { openTcp, openTls } from './open-socket.ts'
import type { Resolver } from './resolver.ts'

const MAX_HEADER_BYTES = 16 * 1024

export interface ProxyTunnelOptions {
  /** The URL of the proxy. It may contain credentials. */
  readonly proxy: Redacted
  /** Resolves the proxy's host. It forbids no address, because the operator trusts the proxy. */
  readonly resolver: Pick<Resolver, 'lookup'>
  readonly secureContext: SecureContext
}

/** Opens CONNECT tunnels. undici's ProxyAgent resolves names without our guard, and ignores the attempt's deadline. */
export class ProxyTunnel {
  readonly #options: ProxyTunnelOptions
  readonly #url: URL

  constructor(options: ProxyTunnelOptions) {
    this.#options = options
    this.#url = new URL(options.proxy.reveal())
  }

  /** @throws {ProxyFailedError} if the proxy cannot be reached, or does not connect to the receiver */
  async open(host: string, port: number, deadline: Deadline): Promise<Socket> {
    const client = this.#client(deadline)
    const authority = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
    const headers = { host: authority, ...this.#credentials() }
    const { signal } = deadline
    try {
      const { statusCode, socket } = await client.connect({ path: authority, headers, signal })
      if (statusCode >= 200 && statusCode < 300) return socket as Socket
      socket.destroy()
      throw ProxyFailedError.answered(statusCode)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw error instanceof ProxyFailedError ? error : ProxyFailedError.disconnected(error)
    } finally {
      // A tunnel's socket does not belong to the client.
      void client.destroy()
    }
  }

  #client(deadline: Deadline): Client {
    return new Client(this.#url.origin, {
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: 0,
      connect: (_target, callback) => {
        this.#openToProxy(deadline).then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        )
      },
    })
  }

  async #openToProxy(deadline: Deadline): Promise<Socket> {
    const { resolver, secureContext } = this.#options
    const { hostname, port, protocol } = this.#url
    const host = hostname.replaceAll(/[[\]]/g, '')
    const isTls = protocol === 'https:'
    const family = isIP(host)
    const addresses =
      family === 0 ? await deadline.race(resolver.lookup(host)) : [{ address: host, family }]
    const target = { port: Number(port || (isTls ? 443 : 80)), addresses }
    const socket = await openTcp(target, deadline)
    return isTls ? openTls(host, { socket, secureContext }, deadline) : socket
  }

  #credentials(): Record<string, string> {
    const { username, password } = this.#url
    if (username === '' && password === '') return {}
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
  }
}
