import { Pool } from 'undici'

/** The pool and the path for requests to a webhook. */
interface Route {
  readonly pool: Pool
  /** With the query. */
  readonly path: string
}

/**
 * Keeps sockets open, in a pool for each webhook. A pool for each host, as in undici's Agent, would let a slow webhook
 * take all sockets of other webhooks on the same host. A pool without sockets and requests is removed.
 */
export class WebhookPools implements AsyncDisposable {
  readonly #options: Pool.Options
  readonly #routes = new Map<string, Route>()

  constructor(options: Pool.Options) {
    this.#options = options
  }

  /** The route to the webhook with this URL. */
  of(url: string): Route {
    return this.#routes.get(url) ?? this.#open(url)
  }

  /** Closes every socket. Requests in progress fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    const routes = [...this.#routes.values()]
    this.#routes.clear()
    await Promise.all(routes.map(({ pool }) => pool.destroy()))
  }

  #open(url: string): Route {
    const { origin, pathname, search } = new URL(url)
    const pool = new Pool(origin, this.#options)
    const route: Route = { pool, path: pathname + search }
    const removeIfIdle = () => {
      const { connected, size } = pool.stats
      if (connected > 0 || size > 0 || this.#routes.get(url) !== route) return
      this.#routes.delete(url)
      void pool.close()
    }
    pool.on('disconnect', removeIfIdle).on('connectionError', removeIfIdle)
    this.#routes.set(url, route)
    return route
  }
}
