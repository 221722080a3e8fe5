import { COST_TABLE } from '../benchmarks/cluster.ts'
import { median } from '../benchmarks/benchmark.ts'
import type { StoredMeasurement } from './results.ts'

/** The cost of an event in a cluster, from call to receiver. Times are in microseconds of one core. */
export interface EventCost {
  readonly nodeMicros: number
  readonly natsMicros: number
  readonly postgresMicros: number
  /** The part of PostgreSQL's time that is spent in one transaction at a time. */
  readonly archiveMicros: number
  readonly bytes: number
}

/** The resources for a rate, with one copy of the database and three of the log. */
export interface Needs {
  readonly rate: number
  /** Nodes with one core each. */
  readonly nodes: number
  /** Separate clusters, each with its own database and NATS servers: each source belongs to one of them. */
  readonly clusters: number
  /** Per cluster. */
  readonly postgresCores: number
  /** Per NATS server, of which each cluster has three. */
  readonly natsCores: number
  /** In all clusters. */
  readonly bytesPerDay: number
}

/** The other half is for peaks, and for catching up with a backlog. */
export const PLANNED_SHARE = 0.5
/** Database servers with more cores than this are hard to get and to operate. */
export const MAX_POSTGRES_CORES = 16
const SECONDS_OF_DAY = 24 * 60 * 60

/**
 * The resources for this many events per second with one destination each, at this cost per event.
 */
export function needsOf(rate: number, cost: EventCost): Needs {
  const cores = (micros: number, each = 1): number =>
    Math.ceil((rate * micros) / 1e6 / PLANNED_SHARE / each)
  const clusters = Math.max(
    // Archive writes to a database are sequential.
    cores(cost.archiveMicros),
    cores(cost.postgresMicros, MAX_POSTGRES_CORES),
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

/** The maximum number of events per second on cores shared by nodes, NATS and PostgreSQL, as in the benchmark. */
export function maxRateOn(
  cores: number,
  { nodeMicros, natsMicros, postgresMicros }: EventCost,
): number {
  return (cores * 1e6) / (nodeMicros + natsMicros + postgresMicros)
}

/** The cost of an event delivered by one node, as measured by the benchmark `cluster`. */
export function costIn({ tables = [] }: StoredMeasurement): EventCost {
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
