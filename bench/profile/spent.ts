import { kindOfThread } from './thread-names.ts'
import type { KindUsage } from './thread-times.ts'
import { type CpuProfile, type LineOf, ticksByPart } from './ticks.ts'

/** What one part of one kind of thread costs. */
export interface Spent {
  readonly thread: string
  readonly part: string
  readonly microsPerEvent: number
}

/** Threads that no profile shows, or whose profile found them idle each time. */
export const NOT_PROFILED = 'all of it'

/**
 * Divides the CPU time of each kind of thread among the parts of the program, as the profiles found them. The profiles
 * may be of another time than the usage, so that the usage is not that of the profiler.
 * @param events of the time of the usage
 */
export function spentByPart(options: {
  readonly profiles: readonly (readonly [thread: string, CpuProfile])[]
  readonly usage: ReadonlyMap<string, KindUsage>
  readonly events: number
  readonly lineOf: LineOf
}): readonly Spent[] {
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
