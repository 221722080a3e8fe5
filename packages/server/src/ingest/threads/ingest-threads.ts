import type { Transferable } from 'node:worker_threads'
import type { Backend } from '../../backend/backend.ts'
import type { Catalog } from '../../backend/catalog.ts'
import type { SharedChange, ThreadConnection } from '../../backend/threads.ts'
import type { Config } from '../../config.ts'
import type { PrivateAddress } from '../../http/forwarding.ts'
import { assertFree, type ListenSettings } from '../../http/listen.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { restoredError, ThreadExitedError, type WireError } from '../../threads/channel.ts'
import {
  ThreadChanges,
  ThreadHost,
  type ThreadHostOptions,
  ThreadSupervisor,
  type ThreadSupervisorOptions,
} from '../../threads/thread-host.ts'
import { ByteBudget, allocateBudget } from '../../util/limits/byte-budget.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import { type RateLimitOwner, SharedBuckets } from '../../util/limits/shared-buckets.ts'
import type { Clock } from '../../util/time/clock.ts'

interface IngestThreadsOptions extends ThreadSupervisorOptions {
  readonly backend: Pick<Backend, 'catalog' | 'keyUses' | 'threads'>
  /** The module of a thread, without its extension. */
  readonly module: URL
  /** At least one. More than one needs `reusePort`. */
  readonly threads: number
  readonly config: Config
  readonly maxConnections: number
  /** The address at which main serves all other requests. */
  readonly main: PrivateAddress
  readonly limits: SharedLimits
  readonly activity: ActivityListener
  readonly metrics: Metrics
  /** The time limit for the requests in flight during shutdown. */
  readonly stopTimeoutMs: number
}

/** Threads that accept calls on one port. The system distributes new connections among them. They forward other requests to main. */
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

  get failing(): ReadonlyMap<string, string> {
    return this.#supervisor.failing
  }

  /** Resolves to the URL when all threads listen. Rejects with the system's error. */
  async listen(at: ListenSettings): Promise<string> {
    await assertFree(at)
    const [first, ...others] = this.#threads
    const backlog = Math.ceil(at.backlog / this.#threads.length)
    const threadListening = { ...at, backlog, reusePort: others.length > 0 }
    const url = await first!.listen(threadListening)
    const port = Number(new URL(url).port)
    await Promise.all(others.map((thread) => thread.listen({ ...threadListening, port })))
    return url
  }

  close(): void {
    for (const { host } of this.#threads) host.channel?.send('close')
  }

  abort(): void {
    for (const { host } of this.#threads) host.channel?.send('abort')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor[Symbol.asyncDispose]()
    for (const stop of this.#stopFollowing) stop()
  }

  #connect(thread: number): ThreadConnection {
    const { backend, limits } = this.#options
    // Releases the share of the exited thread that this one replaces.
    limits.releaseAll(thread)
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
      corrupted: (error) => threads.reportCorruption(restoredError(error)),
    }
  }
}

type HostOptions = ThreadHostOptions<IngestThreadFunctions, IngestMainFunctions>

interface IngestThreadOptions extends Omit<HostOptions, 'input' | 'onReady'> {
  readonly connect: () => ThreadConnection
  /** @param backend the data that the thread needs to join the backend */
  readonly dataOf: (backend: unknown) => IngestThreadData
}

class IngestThread {
  readonly host: ThreadHost<IngestThreadFunctions, IngestMainFunctions>
  readonly #changes = new ThreadChanges<SharedChange>(
    (change) => this.host.channel?.call('apply', change),
    () => this.#gone,
  )
  #connection: ThreadConnection | undefined
  /** Resolves when the last thread that could append has exited, and all its events are in the log. */
  #gone: Promise<void> = Promise.resolve()
  #listensAt: ListenSettings | undefined

  constructor(options: IngestThreadOptions) {
    this.host = new ThreadHost({
      ...options,
      input: () => {
        this.#changes.onStart()
        this.#connection = options.connect()
        const { data, transfer } = this.#connection
        return { data: options.dataOf(data), transfer: transfer as readonly Transferable[] }
      },
      onReady: (channel) => {
        this.#gone = this.#connection!.gone
        this.#changes.onReady()
        // If it fails, the thread exits with the error and is restarted.
        if (this.#listensAt) channel.send('listen', this.#listensAt)
      },
    })
  }

  /**
   * Listens now, and again after each restart. Resolves to the URL. Rejects with the error from the system or the
   * thread.
   */
  async listen(at: ListenSettings): Promise<string> {
    const channel = await this.host.ready()
    try {
      const url = await channel.call('listen', at)
      this.#listensAt = { ...at, port: Number(new URL(url).port) }
      return url
    } catch (error) {
      if (error instanceof ThreadExitedError) return this.listen(at)
      throw error
    }
  }

  apply(change: SharedChange): Promise<void> {
    return this.#changes.apply(change)
  }
}

interface SharedLimitsOptions {
  readonly catalog: Pick<Catalog, 'current'>
  readonly threads: number
  readonly maxBufferedBodyBytes: number
  readonly clock: Clock
}

export class SharedLimits {
  readonly rateLimit: RateLimit
  readonly partialBodies: ByteBudget
  readonly memory: IngestThreadData['limits']
  readonly #catalog: Pick<Catalog, 'current'>
  readonly #buckets: SharedBuckets
  #changes = 0
  /** The limits in use: the current ones, and, until all threads have applied a change, the ones from before it. */
  readonly #used = new Map<string, RateLimitOwner>()

  constructor({ catalog, threads, maxBufferedBodyBytes, clock }: SharedLimitsOptions) {
    const all = threads + 1
    const partialBodies = allocateBudget(all)
    this.#catalog = catalog
    this.#buckets = SharedBuckets.create({ threads: all, now: clock.now() })
    this.#keep()
    this.rateLimit = new RateLimit(clock, { shared: this.#buckets })
    this.partialBodies = new ByteBudget(maxBufferedBodyBytes, { memory: partialBodies, thread: 0 })
    this.memory = { rates: this.#buckets.memory, partialBodies }
  }

  /** Applies a change to the catalog. `apply` resolves when all threads have it. */
  async during(apply: () => Promise<unknown>): Promise<void> {
    this.#changes++
    this.#keep()
    await apply()
    this.#changes--
    if (this.#changes > 0) return
    this.#used.clear()
    this.#keep()
  }

  /** Releases the share of an exited thread. */
  releaseAll(thread: number): void {
    this.partialBodies.releaseAll(thread)
  }

  #keep(): void {
    for (const { id, rateLimit } of this.#catalog.current.sources.values())
      this.#used.set(`${rateLimit} ${id}`, { id, rateLimit })
    this.#buckets.keep(this.#used.values())
  }
}

/** The settings of an ingestion thread. None is secret. */
const INGEST_SETTINGS = [
  'clockSkewToleranceMs',
  'maxBatchBytes',
  'maxBatchExpansionBytes',
  'maxBatchMessages',
  'maxMessageBytes',
  'maxNestingLevels',
  'maxBufferedBodyBytes',
  'maxPipelinedRequests',
  'requestTimeoutMs',
  'trustedProxies',
  'slowReaderTimeoutMs',
  'traceContext',
] as const satisfies readonly (keyof Config)[]

export interface IngestThreadData {
  /** From `BackendThreads.connectToLog`. */
  readonly backend: unknown
  /** From 1: main is 0. */
  readonly thread: number
  readonly settings: Pick<Config, (typeof INGEST_SETTINGS)[number]>
  readonly maxConnections: number
  readonly main: PrivateAddress
  readonly limits: { readonly rates: SharedArrayBuffer; readonly partialBodies: SharedArrayBuffer }
}

export interface IngestThreadFunctions {
  listen(at: ListenSettings): Promise<string>
  apply(change: SharedChange): Promise<void>
  close(): void
  abort(): void
}

export interface IngestMainFunctions {
  keyUsed(use: { readonly key: string; readonly at: number }): Promise<void>
  corrupted(error: WireError): void
}
