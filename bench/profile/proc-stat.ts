/** The unit of times in `/proc`, which is the same on every Linux machine. */
const TICK_MICROS = 10_000

/** The fields of `/proc/PID/stat`, and of `/proc/PID/task/ID/stat` for a thread. */
interface ProcStat {
  readonly id: number
  readonly name: string
  readonly parent: number
  /** The time of the process or thread itself. */
  readonly cpuMicros: number
  /** The time of its exited children. */
  readonly exitedMicros: number
}

/** Parses the text of a `stat` file. The name is in brackets and may contain spaces and brackets. */
export function parseStat(line: string): ProcStat {
  const [opened, closed] = [line.indexOf('('), line.lastIndexOf(')')]
  // The first entry is the third field, the state.
  const rest = line.slice(closed + 2).split(' ')
  const [parent, user, system, exitedUser, exitedSystem] = [1, 11, 12, 13, 14].map((at) =>
    Number(rest[at]),
  ) as [number, number, number, number, number]
  return {
    id: Number(line.slice(0, opened)),
    name: line.slice(opened + 1, closed),
    parent,
    cpuMicros: (user + system) * TICK_MICROS,
    exitedMicros: (exitedUser + exitedSystem) * TICK_MICROS,
  }
}
