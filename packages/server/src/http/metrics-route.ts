import type { FastifyPluginAsync, onRequestHookHandler } from 'fastify'
import type { Metrics } from '../telemetry/metrics.ts'
import { turn } from '../util/time/clock.ts'

/** `GET /metrics`: all metrics, in the text format of Prometheus. `guard` runs before it. */
export function metricsRoute(
  metrics: Metrics,
  guard: readonly onRequestHookHandler[] = [],
): FastifyPluginAsync {
  return async (server) => {
    // Requests that come at the same time share one scrape, because it takes milliseconds.
    let scrape: Promise<Buffer> | undefined
    const scrapeOnce = async (): Promise<Buffer> => {
      try {
        await turn()
        return Buffer.from(await metrics.scrape())
      } finally {
        scrape = undefined
      }
    }
    server.get('/metrics', { onRequest: [...guard] }, async (_request, reply) => {
      const text = await (scrape ??= scrapeOnce())
      void reply.header('content-type', metrics.registry.contentType).send(text)
    })
  }
}
