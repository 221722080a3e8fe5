import type { FastifyPluginAsync } from 'fastify'
import type { Metrics } from '../telemetry/metrics.ts'

/** `GET /metrics`: all metrics, in the text format of Prometheus. */
export function metricsRoute(metrics: Metrics): FastifyPluginAsync {
  return async (server) => {
    server.get('/metrics', async (_request, reply) => {
      const text = await metrics.scrape()
      void reply.header('content-type', metrics.registry.contentType).send(text)
    })
  }
}
