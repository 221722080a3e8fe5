import type { Socket } from 'node:net'
import type { KeyUses } from '../../backend/catalog.ts'
import type { JoinedLog } from '../../backend/threads.ts'
import { listen } from '../../http/listen.ts'
import type { ErrorFormat } from '../../http/responses.ts'
import { createHttpServer } from '../../http/server.ts'
import type { ThreadBody, ThreadContext } from '../../threads/run-thread.ts'
import { ByteBudget } from '../../util/limits/byte-budget.ts'
import { RateLimit } from '../../util/limits/rate-limit.ts'
import { SharedBuckets } from '../../util/limits/shared-buckets.ts'
import { systemClock } from '../../util/time/clock.ts'
import { ingestionUrl, isForIngestion } from '../endpoints.ts'
import { ingestRoutes } from '../routes.ts'
import type {
  IngestMainFunctions,
  IngestThreadData,
  IngestThreadFunctions,
} from './ingest-threads.ts'

type IngestContext = ThreadContext<IngestThreadFunctions, IngestMainFunctions, IngestThreadData>

/** Runs the ingestion of one thread, on a log that the thread has joined. It listens when main asks for it. */
export function runIngest(
  { data, main, logger, metrics, activity }: IngestContext,
  joined: JoinedLog,
  errorFormat: ErrorFormat,
): ThreadBody<IngestThreadFunctions> {
  const { settings: config, maxConnections, thread, limits } = data
  const overdue = new AbortController()
  const forwarded = new Forwarded(overdue.signal)
  const server = createHttpServer({
    config,
    logger,
    errorFormat,
    maxConnections,
    overdue: overdue.signal,
    routedUrl: ingestionUrl,
    forwarding: {
      isOwn: isForIngestion,
      to: data.main,
      onForward: (client) => forwarded.add(client),
    },
  })
  const shared = new SharedBuckets(limits.rates)
  const part = { memory: limits.partialBodies, thread }
  server.register(
    ingestRoutes({
      ...joined,
      keyUses: keyUsesOf((use) => main.call('keyUsed', use)),
      // Main hears from the log what was received.
      activity: {
        refused: (code, calls, sourceId) => activity.refused(code, calls, sourceId),
        received: () => undefined,
      },
      limits: {
        rateLimit: new RateLimit(systemClock, { shared }),
        partialBodies: new ByteBudget(config.maxPartialBodyBytes, part),
      },
      clock: systemClock,
      config,
      metrics,
      logger,
    }),
  )
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= server.close())
  return {
    functions: {
      listen: (at) => listen(server, at),
      apply: (change) => joined.apply(change),
      close: () => void close(),
      abort: () => overdue.abort(),
    },
    stop: async () => {
      await close()
      await forwarded.ended()
      await joined[Symbol.asyncDispose]()
    },
  }
}

/** Main keeps when each key was used last. What this thread knows is enough to tell it rarely. */
function keyUsesOf(tell: (use: { key: string; at: number }) => Promise<void>): KeyUses {
  const uses = new Map<string, number>()
  return {
    lastUsedAt: (key) => uses.get(key),
    mark: (key, at) => {
      uses.set(key, at)
      return tell({ key, at })
    },
  }
}

/** The connections that this thread passes on to main. A thread that ended before them would cut off their responses. */
class Forwarded {
  readonly #overdue: AbortSignal
  readonly #open = new Set<Socket>()
  #onEnded = (): void => undefined

  constructor(overdue: AbortSignal) {
    this.#overdue = overdue
  }

  add(client: Socket): void {
    this.#open.add(client)
    client.once('close', () => {
      this.#open.delete(client)
      if (this.#open.size === 0) this.#onEnded()
    })
  }

  /** Resolves when none is open any more, or when a stop is overdue. */
  async ended(): Promise<void> {
    if (this.#open.size === 0 || this.#overdue.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onEnded = resolve
    this.#overdue.addEventListener('abort', () => resolve(), { once: true })
    await promise
  }
}
