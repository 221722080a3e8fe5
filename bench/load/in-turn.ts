import type { Curve, Effort } from '../benchmarks/benchmark.ts'
import { Arrivals, Passage, type PassageOptions } from './passage.ts'
import { type BenchSource, Service } from './service.ts'

/** One of several services whose throughput is compared: all run, and each is loaded while the others rest. */
export interface Loaded {
  readonly service: Service
  readonly source: BenchSource
  readonly load?: Pick<PassageOptions, 'count' | 'destinations' | 'like'>
}

/** Calls in a request: what a client library sends. */
export const BATCH = 20

/**
 * The events per second of a service for each `x`, round after round, the order alternating. `open` makes it, and
 * leaves to `stack` what has to go after it.
 */
export async function throughputInTurn(
  effort: Effort,
  xs: readonly number[],
  open: (arrivals: Arrivals, x: number, stack: AsyncDisposableStack) => Promise<Loaded>,
): Promise<Curve['points']> {
  await using stack = new AsyncDisposableStack()
  const arrivals = stack.use(await new Arrivals().open())
  const all: { x: number; loaded: Loaded; values: number[] }[] = []
  for (const x of xs) {
    const loaded = await open(arrivals, x, stack)
    stack.use(loaded.service)
    await throughput(arrivals, loaded, effort.seconds / 2)
    all.push({ x, loaded, values: [] })
  }
  for (let round = 0; round < effort.rounds; round++) {
    for (const { loaded, values } of round % 2 === 0 ? all : all.toReversed()) {
      values.push(await throughput(arrivals, loaded, effort.seconds))
    }
  }
  return all.map(({ x, values }) => ({ x, values }))
}

export async function throughput(
  arrivals: Arrivals,
  { service, source: { writeKey }, load }: Loaded,
  seconds: number,
): Promise<number> {
  const options = { port: service.port, writeKey, arrivals, count: BATCH, ...load }
  await using passage = await Passage.open(options)
  return await passage.throughput(seconds)
}

/** A service that has nothing yet, with destinations that lead to `arrivals`. */
export async function emptyService(arrivals: Arrivals, destinations = 1): Promise<Loaded> {
  const service = await Service.start()
  const urls = Array.from({ length: destinations }, (_, index) => arrivals.urlOf(`/hook-${index}`))
  return { service, source: await service.addSource(...urls) }
}
