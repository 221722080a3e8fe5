import type { Benchmark } from './benchmark.ts'
import { clientMemory, clientRate } from './client.ts'
import { delivery, deliveryPeers } from './delivery.ts'
import { endToEnd } from './end-to-end.ts'
import { ingest } from './ingest.ts'

/** By name, with what each is meant to reach. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  'ingest-single': ingest('/v1/track', 1, 0.85),
  'ingest-batch': ingest('/v1/batch', 20, 0.5),
  delivery: delivery(0.8),
  'delivery-peers': deliveryPeers({ bullmq: 2, pgBoss: 5 }),
  'end-to-end': endToEnd({ p99Ms: 25 }),
  'client-rate': clientRate({ goal: 2, ownGoal: 200_000 }),
  'client-memory': clientMemory({ goal: 2, ownGoal: 0.67 }),
}
