import { median } from '../../../bench/benchmarks/benchmark.ts'
import type { ReceiversProcess } from '../receivers/receivers-process.ts'
import { healthyIn, type Layout } from './layouts.ts'
import { type LoadResult, steadyLoad } from './steady-load.ts'

/** The load, as a share of the capacity when all webhooks respond immediately. */
const LOAD = Number(process.env['HOOKLINE_TEST_LOAD'] ?? 0.8)
const CAPACITY_RUNS = 3
const MAX_CAPACITY_SECONDS = 1.5
/** If a run without the fault delivers less than this share of the load, the machine was too busy. */
const MIN_DELIVERED_SHARE = 0.95
/** Factor for the load after such a run. */
const LOAD_REDUCTION = 0.8
const MAX_DISCARDED = 10

export interface FaultEffectOptions {
  readonly receivers: ReceiversProcess
  readonly layout: Layout
  readonly rounds: number
  /** The length of each run. */
  readonly seconds: number
}

/** A run with the fault, between two runs without it. */
export interface Round {
  readonly before: LoadResult
  readonly withFault: LoadResult
  readonly after: LoadResult
}

export interface FaultEffect {
  readonly rounds: readonly Round[]
  /**
   * The number of rounds that do not count, because the machine was too busy for the load. Later rounds have less load.
   */
  readonly discarded: number
}

/**
 * Measures the effect of faulty webhooks on healthy ones. Runs with and without the fault alternate, so that other load on the
 * machine affects both. The p99 of a run depends on its few longest pauses, caused by garbage collection, the disk or other
 * processes, so a run must be long enough for many pauses, and a single run proves little.
 */
export async function faultEffect(options: FaultEffectOptions): Promise<FaultEffect> {
  const { layout } = options
  const run = (isFaulty: boolean, rate: number): Promise<LoadResult> =>
    steadyLoad({ ...options, isFaulty, eventsPerSecond: rate / healthyIn(layout) })
  const rounds: Round[] = []
  let discarded = 0
  let rate = LOAD * (await capacity(options))
  let before = await run(false, rate)
  while (rounds.length < options.rounds) {
    const withFault = await run(true, rate)
    const after = await run(false, rate)
    const isDelivered = [before, after].every((each) => each.rate > MIN_DELIVERED_SHARE * rate)
    if (isDelivered) rounds.push({ before, withFault, after })
    else if (++discarded > MAX_DISCARDED)
      throw new Error(
        `The machine is too busy: it handled the load in only ${rounds.length} rounds.`,
      )
    else rate *= LOAD_REDUCTION
    before = isDelivered ? after : await run(false, rate)
  }
  return { rounds, discarded }
}

/** The p99 with the fault, divided by the p99 without it. */
export function p99Ratio({ before, withFault, after }: Round): number {
  return withFault.p99Ms / Math.sqrt(before.p99Ms * after.p99Ms)
}

/** The throughput with the fault, divided by the throughput without it. */
export function throughputRatio({ before, withFault, after }: Round): number {
  return withFault.rate / Math.sqrt(before.rate * after.rate)
}

/** The relative difference between the p99 of two runs without a fault, such as 0.1 for 10%. */
export function p99Noise({ before, after }: Round): number {
  return Math.max(before.p99Ms / after.p99Ms, after.p99Ms / before.p99Ms) - 1
}

/** Deliveries per second to the healthy webhooks when all respond immediately. */
async function capacity(options: FaultEffectOptions): Promise<number> {
  const seconds = Math.min(MAX_CAPACITY_SECONDS, options.seconds / 2)
  const rates: number[] = []
  // The first run is a warm-up, and its result is ignored.
  for (let index = 0; index <= CAPACITY_RUNS; index++) {
    rates.push((await steadyLoad({ ...options, seconds, isFaulty: false })).rate)
  }
  return median(rates.slice(1))
}
