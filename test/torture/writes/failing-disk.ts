import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { TemporaryFolder } from '../../../packages/server/test/harness/temporary-folder.ts'

const SOURCE = fileURLToPath(new URL('./failing-disk.c', import.meta.url))
const ERRORS = { EIO: 5, ENOSPC: 28 }
const CALLS = { writes: 1, syncs: 2, truncations: 4, 'short writes': 8 }

export interface Failures {
  readonly error: keyof typeof ERRORS
  readonly calls: keyof typeof CALLS
  /** How many of the calls fail. */
  readonly share: number
  readonly seed: number
}

/** A data folder whose writes fail while a test wants it. The service must run with `settings`. */
export class FailingDisk implements Disposable {
  readonly #folder = new TemporaryFolder()
  /** The data folder. */
  readonly path = join(this.#folder.path, 'data')
  readonly #rule = join(this.#folder.path, 'rule')
  readonly #library = join(this.#folder.path, 'failing-disk.so')

  /** Where the machine has no C compiler it skips the test, or fails it with HOOKLINE_REQUIRE_COMPILER=1. */
  static orSkip(skip: () => never): FailingDisk {
    const disk = new FailingDisk()
    if (process.platform === 'linux' && disk.#compile()) return disk
    disk[Symbol.dispose]()
    console.log('skipped: it needs Linux and a C compiler, `cc`')
    expect(process.env['HOOKLINE_REQUIRE_COMPILER']).not.toBe('1')
    return skip()
  }

  private constructor() {
    mkdirSync(this.path)
  }

  get settings(): Readonly<Record<string, string>> {
    const [folder, rule] = [this.path, this.#rule]
    return { LD_PRELOAD: this.#library, FAILING_DISK_FOLDER: folder, FAILING_DISK_RULE: rule }
  }

  /** From now on, calls fail, until `work`. */
  fail({ error, calls, share, seed }: Failures): void {
    const numbers = [ERRORS[error], Math.round(share * 1000), CALLS[calls], seed]
    writeFileSync(`${this.#rule}.next`, numbers.join(' '))
    renameSync(`${this.#rule}.next`, this.#rule)
  }

  work(): void {
    rmSync(this.#rule, { force: true })
  }

  /** The kinds of calls of which at least one has failed. */
  get failed(): string[] {
    return Object.entries(CALLS)
      .filter(([, number]) => existsSync(`${this.#rule}.failed-${number}`))
      .map(([calls]) => calls)
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }

  #compile(): boolean {
    const args = ['-shared', '-fPIC', '-O2', '-o', this.#library, SOURCE, '-ldl', '-lpthread']
    const { error, status, stderr } = spawnSync('cc', args, { encoding: 'utf8' })
    if (error === undefined && status !== 0) throw new Error(stderr)
    return error === undefined
  }
}
