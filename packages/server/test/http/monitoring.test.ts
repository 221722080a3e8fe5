import fastify from 'fastify'
import { expect, test } from 'vitest'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { healthRoutes, metricsRoute, type ReadinessCheck } from '../../src/http/monitoring.ts'
import { Metrics } from '../../src/telemetry/metrics.ts'
import type { Clock } from '../../src/util/time/clock.ts'

async function get(
  path: string,
  checks: readonly ReadinessCheck[],
  clock: Clock = new ManualClock(),
) {
  await using server = fastify()
  server.register(healthRoutes(checks, clock))
  const response = await fetch(`${await server.listen({ host: '127.0.0.1', port: 0 })}${path}`)
  return { status: response.status, body: await response.json() }
}

const passing: ReadinessCheck = { name: 'log', check: async () => undefined }
const failing: ReadinessCheck = {
  name: 'database',
  check: () => Promise.reject(new Error('disk full')),
}

test('livez responds with 200 while the process responds, regardless of the checks', async () => {
  expect(await get('/livez', [failing])).toEqual({ status: 200, body: { status: 'ok' } })
})

test('readyz responds with 200 when every check passes', async () => {
  expect(await get('/readyz', [passing])).toEqual({
    status: 200,
    body: { status: 'ok', checks: { log: { ok: true } } },
  })
})

test('readyz responds with 200 and the note of a passing check', async () => {
  const noted = { ...passing, note: () => 'Look at it.' }
  expect(await get('/readyz', [noted])).toEqual({
    status: 200,
    body: { status: 'ok', checks: { log: { ok: true, note: 'Look at it.' } } },
  })
})

test('readyz responds with 503, the failed check and the reason', async () => {
  expect(await get('/readyz', [passing, failing])).toEqual({
    status: 503,
    body: {
      status: 'unavailable',
      checks: { log: { ok: true }, database: { ok: false, reason: 'disk full' } },
    },
  })
})

test('readyz responds even if a check never completes', async () => {
  const clock = new ManualClock()
  const stuck = { name: 'database', check: () => new Promise<void>(() => clock.advance(5_000)) }
  expect(await get('/readyz', [stuck], clock)).toMatchObject({
    status: 503,
    body: { checks: { database: { ok: false, reason: 'No response.' } } },
  })
})

test('GET /metrics serves the metrics in the Prometheus text format', async () => {
  await using server = fastify()
  const metrics = new Metrics()
  server.register(metricsRoute(metrics))
  metrics.ingestEvents.inc({ result: 'accepted' }, 3)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const response = await fetch(`${url}/metrics`)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(await response.text()).toContain('hookline_ingest_events_total{result="accepted"} 3')
})

test('concurrent requests share one scrape', async () => {
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
