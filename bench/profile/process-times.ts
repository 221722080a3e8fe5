import { readdirSync, readFileSync } from 'node:fs'

/** The unit of times in `/proc`: Linux has the same for programs on every machine. */
const TICK_MICROS = 10_000

interface ProcessTime {
  readonly parent: number
  /** Of the process itself. */
  readonly own: number
  /** Of its children that have ended. */
  readonly ended: number
}

/** CPU time of a process and of its children, also of those that have ended, in microseconds; 0 where there is no `/proc`. */
export function processMicros(pid: number): number {
  const all = new Map(pidsNow().flatMap((each) => entryOf(each)))
  const children = [...all].filter(([, { parent }]) => parent === pid)
  const root = all.get(pid)
  return [...children.map(([, time]) => time), ...(root ? [root] : [])].reduce(
    (sum, { own, ended }) => sum + (own + ended) * TICK_MICROS,
    0,
  )
}

/** Parses `/proc/PID/stat`. The name is in brackets and may contain spaces and brackets. */
function parseProcessStat(line: string): ProcessTime {
  // The first one is the third field: the state.
  const rest = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) =>
    Number(rest[at]),
  ) as [number, number, number, number, number]
  return { parent, own: user + system, ended: endedUser + endedSystem }
}

function entryOf(pid: number): readonly (readonly [number, ProcessTime])[] {
  try {
    return [[pid, parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))]]
  } catch {
    // It has ended.
    return []
  }
}

function pidsNow(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
