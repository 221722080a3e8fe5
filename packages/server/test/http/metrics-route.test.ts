import fastify from 'fastify'
import { expect, test } from 'vitest'
import { metricsRoute } from '../../src/http/metrics-route.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'

test('GET /metrics serves the metrics in the text format of Prometheus', async () => {
  await using server = fastify()
  const metrics = new Metrics()
  server.register(metricsRoute(metrics))
  metrics.ingestEvents.inc({ result: 'accepted' }, 3)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(await response.text()).toContain('hookline_ingest_events_total{result="accepted"} 3')
})

test('requests that come at the same time share one scrape', async () => {
  await using server = fastify()
  const metrics = new Metrics()
  let scrapes = 0
  metrics.beforeScrape(() => void scrapes++)
  server.register(metricsRoute(metrics))
  const texts = await Promise.all(
    Array.from({ length: 10 }, async () => (await server.inject('/metrics')).body),
  )
  expect(new Set(texts).size).toBe(1)
  expect(scrapes).toBe(1)
  await server.inject('/metrics')
  expect(scrapes).toBe(2)
})
