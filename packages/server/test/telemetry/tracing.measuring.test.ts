import { afterEach, expect, test, vi } from 'vitest'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { measureAgain } from '@hookline/testing/run/measure-again'
import { openTracing } from '../../src/telemetry/opentelemetry/open.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import type { Tracing } from '../../src/telemetry/tracing.ts'
import { systemClock } from '../../src/util/time/clock.ts'

const EVENTS = 100_000
const NOT_SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'
const ROUTE = { path: '/v1/track', route: '/v1/track', scheme: 'http', startedAt: Date.now() }
const ATTEMPT = { method: 'POST', url: 'https://a.example/hook', number: 1 }
const DELIVERED = { class: 'delivered', outcome: 'delivered', status: 200 } as const
const DELIVERY = { id: 'msg_1', destinationId: 'dst_1' }

afterEach(() => vi.unstubAllEnvs())

/** The CPU time that tracing takes for a call with one event, its delivery and an attempt. */
function microsecondsPerEvent(tracing: Tracing, headers: object): number {
  const before = process.threadCpuUsage()
  for (let count = 0; count < EVENTS; count += 1) {
    const call = tracing.beginCall({ ...ROUTE, headers: { ...headers } })
    const content = { id: 'evt_1', type: 'track', traceContext: call.traceContext } as const
    call.end(200)
    const delivery = tracing.beginDelivery(DELIVERY, content, 3)
    delivery?.beginAttempt(ATTEMPT).end(DELIVERED)
    delivery?.end('delivered')
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / EVENTS
}

test.for([
  ['continued without a collector', {}, { traceparent: NOT_SAMPLED, tracestate: 'a=1,b=2' }],
  [
    'not sampled by its caller',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    { traceparent: NOT_SAMPLED, tracestate: 'a=1,b=2' },
  ],
  [
    'not sampled by Hookline',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    },
    {},
  ],
] as const)(
  'a trace costs at most 3 µs of CPU time per event if it is %s',
  async ([, variables, headers]) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    const logger = createLogger('silent')
    const clock = systemClock
    await using tracing = await openTracing({ continuesTraces: true, version: '1', clock, logger })
    microsecondsPerEvent(tracing!, headers)
    const { microseconds } = await measureAgain(
      async () => ({ microseconds: microsecondsPerEvent(tracing!, headers) }),
      (measured) => measured.microseconds > 3,
    )
    expect(microseconds).toBeLessThanOrEqual(3)
  },
)

test('an event without a trace costs almost no CPU time', () => {
  const event = acceptedEvent()
  const before = process.threadCpuUsage()
  let traced = 0
  for (let count = 0; count < EVENTS; count += 1) if (event.traceContext !== undefined) traced += 1
  const { user, system } = process.threadCpuUsage(before)
  expect(traced).toBe(0)
  expect((user + system) / EVENTS).toBeLessThan(0.2)
})
