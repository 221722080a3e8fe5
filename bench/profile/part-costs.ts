import { kindOfThread } from './thread-names.ts'
import type { KindUsage } from './thread-times.ts'
import { type CpuProfile, type LineOf, ticksByPart } from './ticks.ts'

/** The cost of one part in one kind of thread. */
export interface PartCost {
  readonly thread: string
  readonly part: string
  readonly microsPerEvent: number
}

/** The part for threads without a profile, or whose profile has only idle samples. */
export const NOT_PROFILED = 'not profiled'

/**
 * Divides the CPU time of each kind of thread among the parts of the program, in proportion to their samples. If the profiles
 * were taken at a different time than the usage, the usage excludes the overhead of profiling.
 * @param events the number of events during the usage
 */
export function costByPart(options: {
  readonly profiles: readonly (readonly [thread: string, CpuProfile])[]
  readonly usage: ReadonlyMap<string, Pick<KindUsage, 'cpuMicros'>>
  readonly events: number
  readonly lineOf: LineOf
}): readonly PartCost[] {
  const { profiles, usage, events, lineOf } = options
  return [...usage].flatMap(([thread, { cpuMicros }]) => {
    const own = profiles.filter(([name]) => kindOfThread(name) === thread)
    const ticks = sumOf(own.map(([, profile]) => ticksByPart(profile, lineOf)))
    const total = [...ticks.values()].reduce((sum, each) => sum + each, 0)
    const micros = cpuMicros / events
    if (total === 0) return [{ thread, part: NOT_PROFILED, microsPerEvent: micros }]
    return [...ticks].map(([part, found]) => {
      return { thread, part, microsPerEvent: (micros * found) / total }
    })
  })
}

function sumOf(all: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const [part, ticks] of all.flatMap((each) => [...each])) {
    sums.set(part, (sums.get(part) ?? 0) + ticks)
  }
  return sums
}
