import { clientMemory, clientRate } from './client.ts'
import type { Benchmark } from './compare.ts'
import { delivery } from './delivery.ts'
import { ingest } from './ingest.ts'

/** By name, with the ratio each is meant to reach. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  'ingest-single': ingest('/v1/track', 1, 0.85),
  'ingest-batch': ingest('/v1/batch', 20, 0.5),
  delivery: delivery(0.8),
  'client-rate': clientRate({ goal: 2, ownGoal: 200_000 }),
  'client-memory': clientMemory({ goal: 2, ownGoal: 0.67 }),
}
