import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Failure } from '../failure.ts'
import type { ClusterFolder } from './cluster-folder.ts'

const FILE = 'processes.json'

interface Kept {
  readonly supervisor: number
  /** By name. */
  readonly programs: Readonly<Record<string, number>>
}

/** The ids of the processes of a cluster, in a file, so that the next run finds those that outlived a kill of this one. */
export class KeptProcesses {
  readonly #folder: ClusterFolder
  readonly #programs: Record<string, number> = {}

  constructor(folder: ClusterFolder) {
    this.#folder = folder
  }

  /**
   * Ends the processes that an earlier run has left. Returns their ids.
   * @throws {Failure} where that run goes on
   */
  endLeft(): readonly number[] {
    const { supervisor, programs } = (this.#folder.read(FILE) ?? { programs: {} }) as Kept
    if (commandOf(supervisor)?.includes('cluster'))
      throw new Failure('failed', `A cluster runs in ${this.#folder.path} already.`, {
        code: 'data_dir_in_use',
        hint: `Stop process ${supervisor}, or choose another folder with --data-dir.`,
      })
    // An id may be of another program by now.
    const left = Object.values(programs).filter((pid) =>
      commandOf(pid)?.includes(this.#folder.path),
    )
    for (const pid of left) process.kill(pid, 'SIGKILL')
    this.#write()
    return left
  }

  started(name: string, pid: number): void {
    this.#programs[name] = pid
    this.#write()
  }

  #write(): void {
    const kept: Kept = { supervisor: process.pid, programs: this.#programs }
    this.#folder.write(FILE, JSON.stringify(kept))
  }
}

/** The command line of a process; `undefined` where there is none. */
function commandOf(pid: number | undefined): string | undefined {
  if (pid === undefined || pid === process.pid) return undefined
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}
