import { MAIN_THREAD } from '../profile/thread-names.ts'

/** There is one of each of these threads, regardless of the number of cores. */
const SINGLE = [MAIN_THREAD, 'writer']

/** Microseconds of CPU time per event, by kind of thread. */
export type CostByKind = ReadonlyMap<string, number>

export interface Estimate {
  readonly eventsPerSecond: number
  /** The bottleneck: `all cores`, or a kind of thread of which there is only one. */
  readonly limit: string
}

/**
 * The maximum number of events per second of a service with this many dedicated cores, at these
 * costs per event. Assumes as many ingest, delivery and reader threads as needed, and no limits by
 * disk or network.
 */
export function estimateOn(cores: number, costs: CostByKind): Estimate {
  const all = [...costs.values()].reduce((sum, cost) => sum + cost, 0)
  const bounds: Estimate[] = [{ eventsPerSecond: (cores * 1e6) / all, limit: 'all cores' }]
  for (const kind of SINGLE) {
    const cost = costs.get(kind) ?? 0
    if (cost > 0) bounds.push({ eventsPerSecond: 1e6 / cost, limit: `the ${kind} thread` })
  }
  return bounds.reduce((min, each) => (each.eventsPerSecond < min.eventsPerSecond ? each : min))
}
