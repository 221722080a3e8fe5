import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { TemporaryFolder } from '../files/temporary-folder.ts'
import { compile, needsCompiler } from './preloaded-library.ts'

const SOURCE = new URL('failing-disk.c', import.meta.url)
const CALLS = { writes: 1, syncs: 2, truncations: 4, 'short writes': 8, creations: 16 }
const CHANGES = CALLS.writes + CALLS.syncs + CALLS.truncations + CALLS.creations

export interface Failures {
  readonly error: 'EIO' | 'ENOSPC' | 'EROFS'
  /** The file in the data folder; by default, all files. */
  readonly file?: string
  /** Which calls fail; by default, all calls, without short writes. */
  readonly calls?: keyof typeof CALLS
  /** The share of these calls that fail; by default, all. */
  readonly share?: number
  readonly seed?: number
}

/** A data folder on a disk that a test can make fail. The service must run with `settings`. */
export class FailingDisk implements Disposable {
  readonly #folder = new TemporaryFolder()
  readonly #real = realpathSync(this.#folder.path)
  readonly path = join(this.#real, 'data')
  readonly #rule = join(this.#real, 'rule')
  readonly #library = join(this.#real, 'failing-disk.so')

  /** Without a C compiler, skips the test, or fails it with HOOKLINE_REQUIRE_COMPILER=1. */
  static orSkip(skip: () => never): FailingDisk {
    needsCompiler(skip)
    return new FailingDisk()
  }

  private constructor() {
    mkdirSync(this.path)
    compile(SOURCE, this.#library)
  }

  get settings(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, FAILING_DISK_RULE: this.#rule }
  }

  /** From now until `repair()`, the selected calls that change a file fail. */
  fail({ error, file = '', calls, share = 1, seed = 1 }: Failures): void {
    const number = calls === undefined ? CHANGES : CALLS[calls]
    const path = join(this.path, '/', file)
    const numbers = [constants.errno[error], Math.round(share * 1000), number, seed]
    writeFileSync(`${this.#rule}.next`, [path, ...numbers].join(' '))
    renameSync(`${this.#rule}.next`, this.#rule)
  }

  repair(): void {
    rmSync(this.#rule, { force: true })
  }

  get failed(): string[] {
    return Object.entries(CALLS)
      .filter(([, number]) => existsSync(`${this.#rule}.failed-${number}`))
      .map(([calls]) => calls)
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }
}
