import { Pool } from 'undici'

/** Where requests to a webhook go. */
interface Route {
  readonly pool: Pool
  /** With the query. */
  readonly path: string
}

/**
 * Sockets kept open, by webhook. Not by host, as undici's Agent has it: a webhook that answers slowly would take the
 * sockets of its neighbours there. A pool without sockets and requests is forgotten.
 */
export class WebhookPools implements AsyncDisposable {
  readonly #options: Pool.Options
  readonly #routes = new Map<string, Route>()

  constructor(options: Pool.Options) {
    this.#options = options
  }

  /** The way to the webhook with this URL. */
  of(url: string): Route {
    return this.#routes.get(url) ?? this.#open(url)
  }

  /** Drops every socket; requests under way fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    const routes = [...this.#routes.values()]
    this.#routes.clear()
    await Promise.all(routes.map(({ pool }) => pool.destroy()))
  }

  #open(url: string): Route {
    const { origin, pathname, search } = new URL(url)
    const pool = new Pool(origin, this.#options)
    const route: Route = { pool, path: pathname + search }
    const forgetIfIdle = () => {
      const { connected, size } = pool.stats
      if (connected > 0 || size > 0 || this.#routes.get(url) !== route) return
      this.#routes.delete(url)
      void pool.close()
    }
    pool.on('disconnect', forgetIfIdle).on('connectionError', forgetIfIdle)
    this.#routes.set(url, route)
    return route
  }
}
