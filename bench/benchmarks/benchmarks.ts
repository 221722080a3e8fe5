import { audienceLatency } from './audience-latency.ts'
import { audienceSync } from './audience-sync.ts'
import { audienceThroughput } from './audience-throughput.ts'
import type { Benchmark } from './benchmark.ts'
import { clientMemory, clientRate } from './client.ts'
import { cost } from './cost.ts'
import { delivery, deliveryPeers } from './delivery.ts'
import { endToEnd } from './end-to-end.ts'
import { growth } from './growth.ts'
import { ingest } from './ingest.ts'
import { isolation } from './isolation.ts'
import { memory, restart } from './pending-deliveries.ts'
import { scaling } from './scaling.ts'

/** The benchmarks by name, with their goals. */
export const benchmarks = {
  'ingest-single': ingest('/v1/track', 1, 0.85),
  'ingest-batch': ingest('/v1/batch', 20, 0.5),
  delivery: delivery(0.8),
  'delivery-peers': deliveryPeers({ bullmq: 2, pgBoss: 5 }),
  'end-to-end': endToEnd({ p99Ms: 25 }),
  isolation: isolation({ p99Ratio: 1.2, throughput: 0.95 }),
  growth: growth(0.9),
  memory: memory({ moreMib: 150 }),
  restart: restart({ seconds: 3 }),
  cost: cost(),
  scaling: scaling(),
  'audience-sync': audienceSync({ seconds: 20, loopDelayP99Ms: 50, rate: 0.9 }),
  'audience-latency': audienceLatency({ p99Ms: 5_000 }),
  'audience-throughput': audienceThroughput(0.7),
  'client-rate': clientRate({ ratio: 2, hookline: 200_000 }),
  'client-memory': clientMemory({ ratio: 2, hookline: 0.67 }),
} satisfies Readonly<Record<string, Benchmark>>

export type BenchmarkName = keyof typeof benchmarks
