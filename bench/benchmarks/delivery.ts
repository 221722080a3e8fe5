import type { Filter, WebhooksSettings } from '@hookline/protocol'
import type { Benchmark } from './benchmark.ts'
import { loadedDelivery } from '../load/loaded-program.ts'
import { comparison, type Side } from './comparison.ts'
import { postgresServer, redisServer } from '../load/peer-servers.ts'

/** Events per second to a receiver in another process, compared with a bare loop of undici requests. */
export function delivery(goal: number): Benchmark {
  const bare = deliverySide('bare undici loop', 'delivery-bare.ts')
  return comparison({ unit: 'events/s', hookline, peers: [{ ...bare, goal }] })
}

/** Deliveries per second, compared with common job queues. */
export function deliveryPeers(goals: {
  readonly bullmq: number
  readonly pgBoss: number
}): Benchmark {
  return comparison({
    unit: 'events/s',
    hookline,
    peers: [
      { ...deliverySide('BullMQ', 'delivery-bullmq.ts'), ...redisServer, goal: goals.bullmq },
      { ...deliverySide('pg-boss', 'delivery-pg-boss.ts'), ...postgresServer, goal: goals.pgBoss },
    ],
    notes: ['Hookline: on disk before the response (fsync), every delivery recorded and stored'],
  })
}

/** Deliveries with a filter that selects every event, compared with deliveries without one. */
export function routing(goal: number): Benchmark {
  const filter: Filter = {
    or: [
      { type: 'identify' },
      { event: 'Order *', where: [{ property: 'revenue', op: '>=', value: 20 }] },
    ],
  }
  return comparedWithout('with a filter', { filter }, goal)
}

/** Deliveries with a transform of ten lines, compared with deliveries without one. */
export function transforms(goal: number): Benchmark {
  const transform = `{
    "id": messageId,
    "text": event & " by " & userId,
    "order": {
      "total": $round(properties.revenue * 1.19, 2),
      "currency": $uppercase(properties.currency),
      "isLarge": properties.revenue > 100
    },
    "page": context.page.url,
    "at": timestamp
  }`
  return comparedWithout('with a transform', { transform }, goal)
}

/**
 * Deliveries whose traces are not sampled, compared with deliveries that only continue a trace, and
 * with deliveries without a trace context.
 */
export function traces(goal: number): Benchmark {
  const side = (name: string, traceContext: 'on' | 'off', environment = {}): Side => ({
    name,
    open: () => loadedDelivery('delivery-hookline.ts', { args: ['{}', traceContext], environment }),
  })
  const collector = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  }
  return comparison({
    unit: 'events/s',
    hookline: side('not sampled', 'on', collector),
    peers: [
      { ...side('runs without a collector', 'on'), goal },
      { ...side('runs without trace context', 'off'), goal },
    ],
  })
}

function comparedWithout(name: string, settings: Partial<WebhooksSettings>, goal: number) {
  const open = () => loadedDelivery('delivery-hookline.ts', { args: [JSON.stringify(settings)] })
  return comparison({
    unit: 'events/s',
    hookline: { name, open },
    peers: [{ ...hookline, name: 'without', goal }],
  })
}

function deliverySide(name: string, script: string): Side {
  return { name, open: () => loadedDelivery(script) }
}

const hookline = deliverySide('Hookline', 'delivery-hookline.ts')
