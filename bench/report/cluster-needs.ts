import { COST_TABLE } from '../benchmarks/cluster.ts'
import { median } from '../benchmarks/benchmark.ts'
import type { Result } from './results.ts'

/** What an event costs in a cluster, from the call to the receiver. Times in microseconds of one processor core. */
export interface EventCost {
  readonly nodeMicros: number
  readonly natsMicros: number
  readonly postgresMicros: number
  /** Of the time in PostgreSQL, what one transaction at a time does. */
  readonly archiveMicros: number
  readonly bytes: number
}

/** What a rate needs, with one copy of the database and three of the log. */
export interface Needs {
  readonly rate: number
  /** Nodes with one core each. */
  readonly nodes: number
  /** Separate clusters, each with its own database and NATS servers: each source belongs to one of them. */
  readonly clusters: number
  /** Of each cluster. */
  readonly postgresCores: number
  /** Of each of its three servers. */
  readonly natsCores: number
  /** Of all clusters, for a day of events. */
  readonly bytesPerDay: number
}

/** Half is for peaks, and for working off what has waited. */
export const PLANNED_SHARE = 0.5
/** A database server with more cores than this is hard to get and to keep. */
export const MOST_POSTGRES_CORES = 16
const SECONDS_OF_DAY = 24 * 60 * 60

/** What so many events per second need, each for one destination, if each costs what it costs in the benchmark. */
export function needsOf(rate: number, cost: EventCost): Needs {
  const cores = (micros: number, each = 1): number =>
    Math.ceil((rate * micros) / 1e6 / PLANNED_SHARE / each)
  const clusters = Math.max(
    // The archive of a database is one queue.
    cores(cost.archiveMicros),
    cores(cost.postgresMicros, MOST_POSTGRES_CORES),
  )
  return {
    rate,
    nodes: cores(cost.nodeMicros),
    clusters,
    postgresCores: cores(cost.postgresMicros, clusters),
    natsCores: cores(cost.natsMicros, clusters),
    bytesPerDay: rate * SECONDS_OF_DAY * cost.bytes,
  }
}

/** The most events per second on so many cores that nodes, NATS and PostgreSQL share: what the benchmark can reach itself. */
export function mostOn(
  cores: number,
  { nodeMicros, natsMicros, postgresMicros }: EventCost,
): number {
  return (cores * 1e6) / (nodeMicros + natsMicros + postgresMicros)
}

/** The cost of an event that is delivered by one node, as the benchmark `cluster` has measured it. */
export function costIn({ tables = [] }: Result): EventCost {
  const table = tables.find(({ name }) => name === COST_TABLE)!
  const row = table.rows.find(({ labels }) => labels.join() === 'from call to receiver,1 node')!
  const cell = (column: string): number => median(row.values[table.columns.indexOf(column)]!)
  return {
    nodeMicros: cell('Hookline, µs'),
    natsMicros: cell('NATS, µs'),
    postgresMicros: cell('PostgreSQL, µs'),
    archiveMicros: cell('one at a time, µs'),
    bytes: cell('database, bytes'),
  }
}
