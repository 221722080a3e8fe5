import type { MeasuredUsage } from '../load/loaded-program.ts'
import { MAIN_THREAD, NODE_THREADS, V8_WORKERS } from '../profile/thread-names.ts'
import { median, type Table } from './benchmark.ts'
import { type CostByKind, estimateOn } from './core-estimate.ts'

/** One measurement of a service on dedicated cores. */
export interface CoreRound extends MeasuredUsage {
  /** The thread outside the program that generates or receives the load. */
  readonly loadThread: { readonly name: string; readonly cpuMicros: number }
}

/** The rounds of a load by the number of the service's threads. */
export interface LoadOnCores {
  readonly name: string
  readonly byThreads: ReadonlyMap<number, readonly CoreRound[]>
}

const ESTIMATE = 'Estimate'
const ESTIMATED_CORES = [4, 8, 16]
/** In the order in which an event passes through them. */
const KINDS = ['ingest', 'writer', MAIN_THREAD, 'delivery', 'reader', V8_WORKERS, NODE_THREADS]

/** A table for each load, and one with estimates for more cores. */
export function coreTables(loads: readonly LoadOnCores[]): readonly Table[] {
  return [...loads.map(tableOf), estimates(loads)]
}

function tableOf({ name, byThreads }: LoadOnCores): Table {
  const all = [...byThreads.values()].flat()
  const kinds = kindsOf(all)
  const loadThread = all[0]!.loadThread.name
  return {
    name,
    labels: ['threads'],
    columns: ['events/s', 'CPU, µs/event', ...[...kinds, loadThread].map((kind) => `${kind}, %`)],
    rows: [...byThreads].map(([threads, rounds]) => ({
      labels: [String(threads)],
      values: [
        rounds.map(({ rate }) => rate),
        rounds.map((round) => sum([...costsOf(round).values()])),
        ...kinds.map((kind) => {
          return rounds.map((round) => share(round, round.usage.get(kind)?.busiestMicros ?? 0))
        }),
        rounds.map((round) => share(round, round.loadThread.cpuMicros)),
      ],
    })),
  }
}

/** Estimates for more cores, based on the costs with one thread of each kind, or without threads if that was not measured. */
function estimates(loads: readonly LoadOnCores[]): Table {
  const rows = loads.flatMap(({ name, byThreads }) => {
    const rounds = byThreads.get(1) ?? byThreads.get(0)!
    return ESTIMATED_CORES.map((cores) => {
      const limits = estimateOn(cores, medianCosts(rounds)).limit
      const values = rounds.map((round) => estimateOn(cores, costsOf(round)).eventsPerSecond)
      return { labels: [name, String(cores), limits], values: [values] }
    })
  })
  return {
    name: ESTIMATE,
    labels: ['load', 'cores of the service', 'limited by'],
    columns: ['at most, events/s'],
    rows,
  }
}

function medianCosts(rounds: readonly CoreRound[]): CostByKind {
  const costs = rounds.map(costsOf)
  return new Map(
    kindsOf(rounds).map((kind) => [kind, median(costs.map((each) => each.get(kind) ?? 0))]),
  )
}

function costsOf({ usage, events }: MeasuredUsage): CostByKind {
  return new Map([...usage].map(([kind, { cpuMicros }]) => [kind, cpuMicros / events]))
}

/** The kinds of threads that used CPU time. */
function kindsOf(rounds: readonly CoreRound[]): readonly string[] {
  const used = new Set(
    rounds.flatMap(({ usage }) =>
      [...usage].flatMap(([kind, { cpuMicros }]) => (cpuMicros > 0 ? [kind] : [])),
    ),
  )
  return [...new Set([...KINDS.filter((kind) => used.has(kind)), ...used])]
}

/** As a percentage of one core. */
function share({ elapsedMicros }: MeasuredUsage, micros: number): number {
  return (100 * micros) / elapsedMicros
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0)
}
