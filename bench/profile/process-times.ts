import { readdirSync, readFileSync } from 'node:fs'
import { parseStat } from './proc-stat.ts'

/** CPU time of a process and its children, including exited ones, in microseconds; 0 without `/proc`. */
export function processMicros(pid: number): number {
  return pidsNow()
    .flatMap(statOf)
    .filter(({ id, parent }) => id === pid || parent === pid)
    .reduce((sum, { cpuMicros, exitedMicros }) => sum + cpuMicros + exitedMicros, 0)
}

function statOf(pid: number): readonly ReturnType<typeof parseStat>[] {
  try {
    return [parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))]
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
