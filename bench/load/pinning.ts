import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The cores of each process of a measurement. */
export interface Cores {
  readonly service: readonly number[]
  readonly load: readonly number[]
  readonly receiver: readonly number[]
}

/**
 * Divides the cores so that load and receiver share none with the service if there are two or more. Load and receiver
 * have one thread each, so all other cores are for the service.
 */
export function divideCores(cores: readonly number[]): Cores {
  const last = cores.slice(-1)
  if (cores.length < 2) return { service: cores, load: cores, receiver: cores }
  if (cores.length < 4) return { service: cores.slice(0, -1), load: last, receiver: last }
  return { service: cores.slice(0, -2), load: cores.slice(-2, -1), receiver: last }
}

/** Parses a list of cores as Linux writes it, such as `0-3,8`. */
export function parseCores(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index)
  })
}

/** The cores that this process may use; undefined if it cannot be pinned. */
export function ownCores(): readonly number[] | undefined {
  try {
    execFileSync('taskset', ['--version'])
    const status = readFileSync('/proc/self/status', 'utf8')
    return parseCores(/^Cpus_allowed_list:\s*(.+)$/m.exec(status)![1]!)
  } catch {
    return undefined
  }
}

/** Restricts all threads of a process, and threads that they start, to these cores. */
export function pin(pid: number, cores: readonly number[]): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.join(','), String(pid)])
}
