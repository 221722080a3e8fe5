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

/** Runs the ingestion of one thread on a joined log. It listens when main calls `listen`. */
export function runIngest(
  { data, main, logger, metrics, activity }: IngestContext,
  joined: JoinedLog,
  errorFormat: ErrorFormat,
): ThreadBody<IngestThreadFunctions> {
  const { settings: config, maxConnections, thread, limits } = data
  const overdue = new AbortController()
  const server = createHttpServer({
    config,
    logger,
    errorFormat,
    maxConnections,
    overdue: overdue.signal,
    routedUrl: ingestionUrl,
    forwarding: { isOwn: isForIngestion, to: data.main },
  })
  const shared = new SharedBuckets(limits.rates)
  const part = { memory: limits.partialBodies, thread }
  server.register(
    ingestRoutes({
      ...joined,
      keyUses: keyUsesOf((use) => main.call('keyUsed', use)),
      // Main gets received events from the log.
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
      await joined[Symbol.asyncDispose]()
    },
  }
}

/** Main stores the last use of keys. This thread's own times make its messages rare. */
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
