import type { Backend } from '../../backend/backend.ts'
import type { SharedChange, ThreadConnection } from '../../backend/threads.ts'
import type { Config } from '../../config.ts'
import type { PrivateAddress } from '../../http/forwarding/private-address.ts'
import { assertFree, type Listening } from '../../http/listen.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import { restoredError } from '../../threads/wire-error.ts'
import { ThreadSupervisor, type ThreadSupervisorOptions } from '../../threads/thread-supervisor.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import {
  INGEST_SETTINGS,
  type IngestMainFunctions,
  type IngestThreadData,
} from './ingest-functions.ts'
import { IngestThread } from './ingest-thread.ts'
import type { SharedLimits } from './shared-limits.ts'

export interface IngestThreadsOptions extends ThreadSupervisorOptions {
  readonly backend: Pick<Backend, 'catalog' | 'keyUses' | 'threads'>
  /** The module of a thread, without the extension of its file. */
  readonly module: URL
  /** How many threads, at least one. With more than one, the system must have `reusePort`. */
  readonly threads: number
  readonly config: Config
  /** Those of all threads together. */
  readonly maxConnections: number
  /** Where main serves all requests that are not of ingestion. */
  readonly main: PrivateAddress
  readonly limits: SharedLimits
  readonly activity: ActivityListener
  readonly metrics: Metrics
  /** How long a stop waits for the requests in flight. */
  readonly stopTimeoutMs: number
}

/**
 * Threads that accept calls: each reads, checks and appends by itself. All listen at one port, and the system divides the new
 * connections among them. A connection with another request is forwarded to main (`http/forwarding`).
 */
export class IngestThreads implements AsyncDisposable {
  readonly #options: IngestThreadsOptions
  readonly #threads: readonly IngestThread[]
  readonly #supervisor: ThreadSupervisor
  readonly #stopFollowing: readonly (() => void)[]

  constructor(options: IngestThreadsOptions) {
    const { backend, threads: count, activity } = options
    this.#options = options
    this.#supervisor = new ThreadSupervisor(options)
    this.#threads = Array.from(
      { length: count },
      (_, index) =>
        new IngestThread({
          ...options,
          name: `ingest-${index + 1}`,
          connect: () => this.#connect(index + 1),
          dataOf: (connection) => this.#dataOf(index + 1, connection),
          functions: this.#functionsOfMain(),
        }),
    )
    this.#stopFollowing = [
      backend.threads.onChange((change) => this.#apply(change)),
      backend.threads.onAppended((events) => activity.received(events)),
    ]
    for (const { host } of this.#threads) this.#supervisor.run(host)
  }

  /** The last error of each failing thread, by its name. */
  get failing(): ReadonlyMap<string, string> {
    return this.#supervisor.failing
  }

  /** Resolves to the URL when all threads listen. Rejects with the error of the system. */
  async listen(at: Listening): Promise<string> {
    await assertFree(at)
    const [first, ...others] = this.#threads
    const backlog = Math.ceil(at.backlog / this.#threads.length)
    const each = { ...at, backlog, reusePort: others.length > 0 }
    const url = await first!.listen(each)
    const port = Number(new URL(url).port)
    await Promise.all(others.map((thread) => thread.listen({ ...each, port })))
    return url
  }

  /** Accepts no connection any more. Requests in flight go on. */
  close(): void {
    for (const { host } of this.#threads) host.channel?.send('close')
  }

  /** Waits for no request any longer. */
  abort(): void {
    for (const { host } of this.#threads) host.channel?.send('abort')
  }

  /** Resolves when all requests have ended, also those that main serves. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor[Symbol.asyncDispose]()
    for (const stop of this.#stopFollowing) stop()
  }

  #connect(thread: number): ThreadConnection {
    const { backend, limits } = this.#options
    // What the thread before it had taken.
    limits.giveBackAllOf(thread)
    return backend.threads.connectToLog(thread)
  }

  #dataOf(thread: number, backend: unknown): IngestThreadData {
    const { config, maxConnections, threads, main, limits } = this.#options
    return {
      backend,
      thread,
      settings: Object.fromEntries(
        INGEST_SETTINGS.map((name) => [name, config[name]]),
      ) as unknown as IngestThreadData['settings'],
      maxConnections: Math.max(1, Math.floor(maxConnections / threads)),
      main: { path: main.path, secret: main.secret },
      limits: limits.memory,
    }
  }

  #apply(change: SharedChange): Promise<unknown> {
    const apply = (): Promise<unknown> =>
      Promise.all(this.#threads.map((thread) => thread.apply(change)))
    return change.kind === 'catalog' ? this.#options.limits.during(apply) : apply()
  }

  #functionsOfMain(): IngestMainFunctions {
    const { keyUses, threads } = this.#options.backend
    return {
      keyUsed: ({ key, at }) => keyUses.mark(key, at),
      damaged: (error) => threads.seeDamage(restoredError(error)),
    }
  }
}
