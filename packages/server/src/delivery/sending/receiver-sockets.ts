import type { ClientCertificate } from '@hookline/protocol'
import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici'
import { Exchange, type ExchangeClient } from './exchange.ts'
import { ResponseHeads } from './response-heads.ts'

/**
 * The sockets of all webhooks. Idle sockets stay open up to the limit; then a new socket replaces
 * the one that has been idle longest.
 */
export class ReceiverSockets {
  readonly #max: number
  readonly #open = new Set<Socket>()
  #connecting = 0
  /** Clients in the order in which their last requests ended. Some may have started another request since. */
  readonly #idle = new Map<Client, Socket>()

  constructor(max: number) {
    this.#max = max
  }

  /** For undici's `factory` option: each client has one socket, which `open` opens. */
  factory(open: buildConnector.connector): NonNullable<Pool.Options['factory']> {
    return (origin, options) => this.#clientOf(origin, options, open)
  }

  #clientOf(origin: URL, options: object, open: buildConnector.connector): Client {
    const connect: buildConnector.connector = (target, callback) => {
      this.#makeRoom()
      this.#connecting++
      open(target, (error, socket) => {
        this.#connecting--
        if (error) return callback(error, null)
        this.#add(socket)
        client.useSocket(socket)
        callback(null, socket)
      })
    }
    const client = new ReceiverClient(origin, { ...options, connect })
    return client
      .on('drain', () => {
        this.#idle.delete(client)
        const { socket } = client
        if (socket && !socket.destroyed) this.#idle.set(client, socket)
      })
      .on('disconnect', () => {
        this.#idle.delete(client)
        client.heads = undefined
      })
  }

  #add(socket: Socket): void {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
  }

  #makeRoom(): void {
    for (const [client, socket] of this.#idle) {
      if (this.#open.size + this.#connecting < this.#max) return
      this.#idle.delete(client)
      if (client.stats.size > 0) continue
      this.#open.delete(socket)
      socket.destroy()
    }
  }
}

class ReceiverClient extends Client implements ExchangeClient {
  socket: Socket | undefined
  heads: ResponseHeads | undefined

  useSocket(socket: Socket): void {
    this.socket = socket
    this.heads = new ResponseHeads(socket)
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof Exchange) handler.takenBy(this)
    return super.dispatch(options, handler)
  }
}

interface Route {
  readonly pool: Pool
  /** Includes the query. */
  readonly path: string
}

/** The path of a URL, including the query. */
export function pathOf({ pathname, search }: URL): string {
  return pathname + search
}

export type PoolOptions = (certificate: ClientCertificate | undefined) => Pool.Options

/**
 * A pool of sockets per webhook: with one pool per host, as in undici, a slow webhook would block
 * others.
 */
export class WebhookPools implements AsyncDisposable {
  readonly #optionsOf: PoolOptions
  readonly #routes = new Map<string, Route>()

  constructor(optionsOf: PoolOptions) {
    this.#optionsOf = optionsOf
  }

  /** Requests with different client certificates never share a socket. */
  of(url: string, certificate?: ClientCertificate): Route {
    const key = certificate === undefined ? url : `${url} ${fingerprintOf(certificate)}`
    return this.#routes.get(key) ?? this.#open(key, url, certificate)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const routes = [...this.#routes.values()]
    this.#routes.clear()
    await Promise.all(routes.map(({ pool }) => pool.destroy()))
  }

  #open(key: string, url: string, certificate: ClientCertificate | undefined): Route {
    const parsed = new URL(url)
    const pool = new Pool(parsed.origin, this.#optionsOf(certificate))
    const route: Route = { pool, path: pathOf(parsed) }
    const removeIfIdle = () => {
      const { connected, size } = pool.stats
      if (connected > 0 || size > 0 || this.#routes.get(key) !== route) return
      this.#routes.delete(key)
      void pool.close()
    }
    pool.on('disconnect', removeIfIdle).on('connectionError', removeIfIdle)
    this.#routes.set(key, route)
    return route
  }
}

export function fingerprintOf({ certificate, key }: ClientCertificate): string {
  return hash('sha256', JSON.stringify([certificate, key]))
}
