import type { Benchmark, Curve, Effort } from '../benchmarks/benchmark.ts'
import { callOfBytes } from './calls.ts'
import { BATCH, emptyService, throughputInTurn } from './in-turn.ts'
import { largeData } from './large-data.ts'
import { Service } from './service.ts'

/** Less than one request may have. */
const REQUEST_BYTES = 400_000

/** How throughput changes with the number of destinations, the size of a call, and the backlog. */
export function scaling(): Benchmark {
  return {
    async run(effort) {
      const shorter = { ...effort, rounds: Math.min(effort.rounds, 3), seconds: effort.seconds / 2 }
      const curves = [await destinations(shorter), await payload(shorter), await backlog(shorter)]
      return { figures: [], notes: [], curves }
    },
  }
}

async function destinations(effort: Effort): Promise<Curve> {
  const points = await throughputInTurn(
    effort,
    effort.isQuick ? [1, 5] : [1, 2, 5, 20],
    async (arrivals, x) => ({
      ...(await emptyService(arrivals, x)),
      load: { destinations: x },
    }),
  )
  return {
    name: 'destinations',
    title: 'Deliveries by destinations of an event',
    x: 'destinations',
    y: 'deliveries/s',
    points: points.map(({ x, values }) => ({ x, values: values.map((value) => value * x) })),
  }
}

async function payload(effort: Effort): Promise<Curve> {
  const sizes = effort.isQuick ? [300, 10_000] : [300, 1_000, 3_000, 10_000, 30_000]
  const points = await throughputInTurn(effort, sizes, async (arrivals, x) => ({
    ...(await emptyService(arrivals)),
    load: { like: callOfBytes(x), count: Math.min(BATCH, Math.floor(REQUEST_BYTES / x)) },
  }))
  return {
    name: 'payload',
    title: 'Events by size of a call',
    x: 'bytes of a call',
    y: 'events/s',
    points,
  }
}

async function backlog(effort: Effort): Promise<Curve> {
  const amounts = effort.isQuick ? [0, 10_000] : [0, 10_000, 100_000, 1_000_000]
  const points = await throughputInTurn(effort, amounts, async (arrivals, pending, stack) => {
    if (pending === 0) return emptyService(arrivals)
    const data = stack.use(await largeData(arrivals, { pending, history: 0 }))
    return { service: await Service.start(data.path), source: data.source }
  })
  return {
    name: 'backlog',
    title: 'Events by pending deliveries of the same destination',
    x: 'pending deliveries',
    y: 'events/s',
    points,
  }
}
