import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { TemporaryFolder } from '../../../packages/server/test/harness/temporary-folder.ts'

const SOURCE = fileURLToPath(new URL('./failing-disk.c', import.meta.url))

/** The disk. Where the machine has no C compiler it skips the test, or fails it with HOOKLINE_REQUIRE_COMPILER=1. */
export function failingDiskOrSkip(skip: () => never): FailingDisk {
  const disk = FailingDisk.make()
  if (disk !== undefined) return disk
  console.log(
    'skipped: it needs Linux and a C compiler, `cc` (HOOKLINE_REQUIRE_COMPILER=1 makes that a failure)',
  )
  expect(process.env['HOOKLINE_REQUIRE_COMPILER']).not.toBe('1')
  return skip()
}

/** A data folder whose disk fails while a test says so. The service must run with `settings`. */
export class FailingDisk implements Disposable {
  readonly #folder = new TemporaryFolder()
  /** The data folder. */
  readonly path = join(this.#folder.path, 'data')
  readonly #fault = join(this.#folder.path, 'fault')
  readonly #library = join(this.#folder.path, 'failing-disk.so')

  /** @returns `undefined` on a machine that cannot compile or preload the library */
  static make(): FailingDisk | undefined {
    const disk = new FailingDisk()
    if (process.platform === 'linux' && disk.#compile()) return disk
    disk[Symbol.dispose]()
    return undefined
  }

  private constructor() {
    mkdirSync(this.path)
  }

  get settings(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, FAILING_DISK_FAULT: this.#fault }
  }

  /** From now on, each change of this file of the data folder fails; by default, of any. */
  fail(code: 'EIO' | 'ENOSPC' | 'EROFS', name = ''): void {
    const next = `${this.#fault}.next`
    writeFileSync(next, `${join(this.path, '/')}${name} ${constants.errno[code]}\n`)
    renameSync(next, this.#fault)
  }

  /** The disk works again. */
  mend(): void {
    rmSync(this.#fault, { force: true })
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }

  #compile(): boolean {
    const args = ['-shared', '-fPIC', '-O2', '-o', this.#library, SOURCE, '-ldl']
    const { error, status, stderr } = spawnSync('cc', args, { encoding: 'utf8' })
    if (error === undefined && status !== 0) throw new Error(stderr)
    return error === undefined
  }
}
