import { MAIN_THREAD } from '../profile/thread-names.ts'

/** Of these threads there is one each, however many cores there are. */
const SINGLE = [MAIN_THREAD, 'writer']

/** Microseconds of CPU time for each event, by kind of thread. */
export type CostByKind = ReadonlyMap<string, number>

export interface Estimate {
  readonly eventsPerSecond: number
  /** What is used up first: `all cores`, or a kind of thread of which there is only one. */
  readonly limit: string
}

/**
 * The most events per second that a service can reach on so many cores of its own, if each event costs what it costs
 * now. Ingest, delivery and reader threads are as many as needed. Disk and network do not limit it.
 */
export function estimateOn(cores: number, costs: CostByKind): Estimate {
  const all = [...costs.values()].reduce((sum, cost) => sum + cost, 0)
  const bounds: Estimate[] = [{ eventsPerSecond: (cores * 1e6) / all, limit: 'all cores' }]
  for (const kind of SINGLE) {
    const cost = costs.get(kind) ?? 0
    if (cost > 0) bounds.push({ eventsPerSecond: 1e6 / cost, limit: `the ${kind} thread` })
  }
  return bounds.reduce((least, each) =>
    each.eventsPerSecond < least.eventsPerSecond ? each : least,
  )
}
