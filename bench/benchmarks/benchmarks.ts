import { BATCH } from '../load/throughput.ts'
import { audienceLatency } from './audience-latency.ts'
import { audienceSync } from './audience-sync.ts'
import { audienceThroughput } from './audience-throughput.ts'
import { type Benchmark, inSteadyState } from './benchmark.ts'
import { clientGoMemory, clientGoRate } from './client-go.ts'
import { clientMemory, clientRate } from './client.ts'
import { cluster } from './cluster.ts'
import { cores } from './cores.ts'
import { costLow } from './cost-low.ts'
import { costRatio } from './cost-ratio.ts'
import { cost } from './cost.ts'
import { deliverySteps } from './delivery-steps.ts'
import { delivery, deliveryPeers, routing, traces, transforms } from './delivery.ts'
import { endToEnd } from './end-to-end.ts'
import { growth } from './growth.ts'
import { ingest } from './ingest.ts'
import { isolation } from './isolation.ts'
import { oneEvent } from './one-event.ts'
import { memory, restart } from './pending-deliveries.ts'
import { scaling } from './scaling.ts'
import { cpuBreakdown } from './cpu-breakdown.ts'

/** The benchmarks by name, with their goals. */
export const benchmarks = {
  'ingest-single': inSteadyState(ingest(1, 0.6)),
  'ingest-batch': inSteadyState(ingest(BATCH, 0.35)),
  delivery: inSteadyState(delivery(0.55)),
  routing: inSteadyState(routing(0.95)),
  transforms: inSteadyState(transforms(0.7)),
  traces: inSteadyState(traces(0.97)),
  'delivery-peers': inSteadyState(deliveryPeers({ bullmq: 2, pgBoss: 2 })),
  'end-to-end': inSteadyState(endToEnd({ p99Ms: 10, overload: 0.95 })),
  isolation: isolation({ p99Ratio: 1.2, throughput: 0.95 }),
  growth: growth(0.9),
  memory: memory({ moreMib: 150 }),
  restart: restart({ seconds: 3 }),
  cost: cost(),
  'cost-ratio': inSteadyState(costRatio({ singleCalls: 2 })),
  'cost-low': inSteadyState(costLow({ ratio: 2.5, wakes: 8 })),
  'one-event': oneEvent({ functions: 350, files: 90, messages: 7 }),
  'delivery-steps': deliverySteps(),
  cores: cores(),
  'cpu-breakdown': cpuBreakdown(),
  cluster: cluster({ ratio: 0.4, twoNodes: 1 }),
  scaling: scaling(),
  'audience-sync': audienceSync({ seconds: 20, loopDelayP99Ms: 50, rate: 0.9 }),
  'audience-latency': audienceLatency({ p99Ms: 5_000 }),
  'audience-throughput': audienceThroughput(0.7),
  'client-rate': clientRate({ ratio: 2, hookline: 200_000 }),
  'client-memory': clientMemory({ ratio: 2, hookline: 0.67 }),
  'client-go-rate': clientGoRate({ hookline: 200_000, version2: 0.75, version3: 1.2 }),
  'client-go-memory': clientGoMemory({ hookline: 0.67, version2: 0.8, version3: 2 }),
} satisfies Readonly<Record<string, Benchmark>>

export type BenchmarkName = keyof typeof benchmarks
