import { readdirSync, readFileSync } from 'node:fs'
import { parseStat } from './proc-stat.ts'
import { kindOfThread, MAIN_THREAD } from './thread-names.ts'

/** CPU time of one thread since it started. */
export interface ThreadTime {
  readonly id: number
  readonly kind: string
  readonly cpuMicros: number
  /** How often it waited: voluntary context switches. */
  readonly wakes: number
}

/** CPU times and wake-ups of all threads of a process; empty without `/proc`. */
export function threadTimes(pid: number): readonly ThreadTime[] {
  const folder = `/proc/${pid}/task`
  return filesIn(folder).flatMap((id) => {
    try {
      const stat = parseStat(readFileSync(`${folder}/${id}/stat`, 'utf8'))
      const kind = stat.id === pid ? MAIN_THREAD : kindOfThread(stat.name)
      const status = readFileSync(`${folder}/${id}/status`, 'utf8')
      const wakes = Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(status)?.[1])
      return [{ id: stat.id, kind, cpuMicros: stat.cpuMicros, wakes }]
    } catch {
      // The thread has exited.
      return []
    }
  })
}

/** The CPU usage of threads of one kind between two points in time. */
export interface KindUsage {
  readonly cpuMicros: number
  /** The CPU time of the busiest thread. */
  readonly busiestMicros: number
  readonly wakes: number
}

/** CPU time by kind of thread, excluding threads that exited in between. */
export function usageByKind(
  before: readonly ThreadTime[],
  after: readonly ThreadTime[],
): ReadonlyMap<string, KindUsage> {
  const earlier = new Map(before.map((thread) => [thread.id, thread]))
  const kinds = new Map<string, KindUsage>()
  for (const { id, kind, cpuMicros, wakes } of after) {
    const used = cpuMicros - (earlier.get(id)?.cpuMicros ?? 0)
    const sum = kinds.get(kind) ?? { cpuMicros: 0, busiestMicros: 0, wakes: 0 }
    kinds.set(kind, {
      cpuMicros: sum.cpuMicros + used,
      busiestMicros: Math.max(sum.busiestMicros, used),
      wakes: sum.wakes + wakes - (earlier.get(id)?.wakes ?? 0),
    })
  }
  return kinds
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
