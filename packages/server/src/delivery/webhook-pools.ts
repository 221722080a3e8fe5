import { Pool } from 'undici'

/**
 * Sockets kept open, by webhook. Not by host, as undici's Agent has it: a webhook that answers slowly would take the
 * sockets of its neighbours there. A pool without sockets and requests is forgotten.
 */
export class WebhookPools implements AsyncDisposable {
  readonly #options: Pool.Options
  readonly #pools = new Map<string, Pool>()

  constructor(options: Pool.Options) {
    this.#options = options
  }

  /** The pool of the webhook with this URL. */
  of(url: URL): Pool {
    return this.#pools.get(url.href) ?? this.#open(url)
  }

  /** Drops every socket; requests under way fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map((pool) => pool.destroy()))
  }

  #open(url: URL): Pool {
    const pool = new Pool(url.origin, this.#options)
    const forgetIfIdle = () => {
      const { connected, size } = pool.stats
      if (connected > 0 || size > 0 || this.#pools.get(url.href) !== pool) return
      this.#pools.delete(url.href)
      void pool.close()
    }
    pool.on('disconnect', forgetIfIdle).on('connectionError', forgetIfIdle)
    this.#pools.set(url.href, pool)
    return pool
  }
}
