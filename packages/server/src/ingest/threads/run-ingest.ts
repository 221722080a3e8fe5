import type { Socket } from 'node:net'
import type { KeyUses } from '../../backend/catalog.ts'
import type { JoinedLog } from '../../backend/threads.ts'
import { listen } from '../../http/listen.ts'
import type { ErrorFormat } from '../../http/responses.ts'
import { createHttpServer } from '../../http/server.ts'
import type { ThreadBody, ThreadContext } from '../../threads/run-thread.ts'
import type { Tracing } from '../../telemetry/tracing.ts'
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

interface IngestContext extends ThreadContext<
  IngestThreadFunctions,
  IngestMainFunctions,
  IngestThreadData
> {
  readonly tracing: Tracing | undefined
}

/** Runs the ingestion of one thread on a joined log. It listens when main calls `listen`. */
export function runIngest(
  { data, main, logger, metrics, activity, tracing }: IngestContext,
  joined: JoinedLog,
  errorFormat: ErrorFormat,
): ThreadBody<IngestThreadFunctions> {
  const { settings: config, maxConnections, thread, limits } = data
  const overdue = new AbortController()
  const forwarded = new ForwardedConnections(overdue.signal)
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
      // Main sees received events in the log.
      activity: {
        rejected: (code, calls, sourceId) => activity.rejected(code, calls, sourceId),
        received: () => undefined,
      },
      limits: {
        rateLimit: new RateLimit(systemClock, { shared }),
        partialBodies: new ByteBudget(config.maxBufferedBodyBytes, part),
      },
      clock: systemClock,
      config,
      metrics,
      logger,
      tracing,
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
      await tracing?.[Symbol.asyncDispose]()
    },
  }
}

/** Main stores when keys were last used. This thread keeps its own times, to send fewer messages. */
function keyUsesOf(report: (use: { key: string; at: number }) => Promise<void>): KeyUses {
  const uses = new Map<string, number>()
  return {
    lastUsedAt: (key) => uses.get(key),
    mark: (key, at) => {
      uses.set(key, at)
      return report({ key, at })
    },
  }
}

/** The connections that this thread forwards. An exit while they are open would cut off their responses. */
class ForwardedConnections {
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

  async ended(): Promise<void> {
    if (this.#open.size === 0 || this.#overdue.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onEnded = resolve
    this.#overdue.addEventListener('abort', () => resolve(), { once: true })
    await promise
  }
}
