import { callOfBytes } from '../load/calls.ts'
import { largeData } from '../load/large-data.ts'
import { ServiceProcess } from '../load/service-process.ts'
import { BATCH, emptyService } from '../load/throughput.ts'
import type { Benchmark, Curve, RunSettings } from './benchmark.ts'
import { throughputCurve } from './throughput-curve.ts'

/** Below the size limit of a request. */
const REQUEST_BYTES = 400_000

/** Throughput by the number of destinations, by the size of a call and by the backlog. */
export function scaling(): Benchmark {
  return {
    async run(settings) {
      const shorter = {
        ...settings,
        rounds: Math.min(settings.rounds, 3),
        seconds: settings.seconds / 2,
      }
      const curves = [await destinations(shorter), await payload(shorter), await backlog(shorter)]
      return { figures: [], notes: [], curves }
    },
  }
}

async function destinations(settings: RunSettings): Promise<Curve> {
  const points = await throughputCurve(
    settings,
    settings.isQuick ? [1, 5] : [1, 2, 5, 20],
    async (receiver, x) => ({
      ...(await emptyService(receiver, x)),
      load: { destinations: x },
    }),
  )
  return {
    name: 'destinations',
    title: 'Throughput by destinations per event',
    x: 'destinations',
    y: 'deliveries/s',
    points: points.map(({ x, values }) => ({ x, values: values.map((value) => value * x) })),
  }
}

async function payload(settings: RunSettings): Promise<Curve> {
  const sizes = settings.isQuick ? [300, 10_000] : [300, 1_000, 3_000, 10_000, 30_000]
  const points = await throughputCurve(settings, sizes, async (receiver, x) => ({
    ...(await emptyService(receiver)),
    load: { like: callOfBytes(x), count: Math.min(BATCH, Math.floor(REQUEST_BYTES / x)) },
  }))
  return {
    name: 'payload',
    title: 'Throughput by call size',
    x: 'bytes per call',
    y: 'events/s',
    points,
  }
}

async function backlog(settings: RunSettings): Promise<Curve> {
  const amounts = settings.isQuick ? [0, 10_000] : [0, 10_000, 100_000, 1_000_000]
  const points = await throughputCurve(settings, amounts, async (receiver, pending, stack) => {
    if (pending === 0) return emptyService(receiver)
    const data = stack.use(await largeData(receiver, { pending, history: 0 }))
    return { service: await ServiceProcess.start(data.path), source: data.source }
  })
  return {
    name: 'backlog',
    title: 'Throughput by pending deliveries of one destination',
    x: 'pending deliveries',
    y: 'events/s',
    points,
  }
}
