import { median } from '../../../bench/benchmarks/benchmark.ts'
import type { ReceiversProcess } from '../receivers/receivers-process.ts'
import { healthyIn, type Layout } from './layouts.ts'
import { type LoadResult, steadyLoad } from './steady-load.ts'

/** The load, as a share of what the webhooks take when all respond at once. */
const LOAD = Number(process.env['HOOKLINE_TEST_LOAD'] ?? 0.8)
const CAPACITY_RUNS = 3
const MOST_CAPACITY_SECONDS = 1.5
/** A run without the fault that delivers less than this share of the load had too little of the machine. */
const CARRIED = 0.95
/** What remains of the load then. */
const LESS = 0.8
const MOST_DISCARDED = 10

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
  readonly beside: LoadResult
  readonly after: LoadResult
}

export interface FaultEffect {
  readonly rounds: readonly Round[]
  /**
   * Rounds that do not count: other processes left too little of the machine for the load, so the later rounds have
   * less load.
   */
  readonly discarded: number
}

/**
 * What faulty webhooks do to healthy ones. Runs with and without the fault follow one another, so that whatever else uses
 * the machine changes both sides. The p99 of a run is the length of its few longest pauses: of garbage collections, of
 * the disk, of other processes. So a run needs many of them, and one run says little.
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
    const beside = await run(true, rate)
    const after = await run(false, rate)
    const isCarried = [before, after].every((each) => each.rate > CARRIED * rate)
    if (isCarried) rounds.push({ before, beside, after })
    else if (++discarded > MOST_DISCARDED)
      throw new Error(`The machine is too busy: it carried the load in ${rounds.length} rounds.`)
    else rate *= LESS
    before = isCarried ? after : await run(false, rate)
  }
  return { rounds, discarded }
}

/** The p99 with the fault, divided by the p99 without it. */
export function p99Ratio({ before, beside, after }: Round): number {
  return beside.p99Ms / Math.sqrt(before.p99Ms * after.p99Ms)
}

/** The throughput with the fault, divided by the throughput without it. */
export function throughputRatio({ before, beside, after }: Round): number {
  return beside.rate / Math.sqrt(before.rate * after.rate)
}

/** By how much the p99 of two runs without a fault differs: 0.1 where one is 10 % more than the other. */
export function p99Noise({ before, after }: Round): number {
  return Math.max(before.p99Ms / after.p99Ms, after.p99Ms / before.p99Ms) - 1
}

/** Deliveries per second to the healthy webhooks when all respond at once. */
async function capacity(options: FaultEffectOptions): Promise<number> {
  const seconds = Math.min(MOST_CAPACITY_SECONDS, options.seconds / 2)
  const rates: number[] = []
  // The result of the first one is ignored: it lets the code be compiled.
  for (let index = 0; index <= CAPACITY_RUNS; index++) {
    rates.push((await steadyLoad({ ...options, seconds, isFaulty: false })).rate)
  }
  return median(rates.slice(1))
}
