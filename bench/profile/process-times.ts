import { readdirSync, readFileSync } from 'node:fs'

/** The unit of times in `/proc`, which is the same on every Linux machine. */
const TICK_MICROS = 10_000

interface ProcessTime {
  readonly parent: number
  /** The time of the process itself. */
  readonly own: number
  /** The time of its exited children. */
  readonly ended: number
}

/** CPU time of a process and its children, including exited ones, in microseconds; 0 without `/proc`. */
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
  // The first entry is the third field, the state.
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
    // It has exited.
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
