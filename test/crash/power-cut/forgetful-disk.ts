import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { compile, needsCompiler } from '@hookline/testing/disks/preloaded-library'
import { equalFiles, writeAfterCut } from './after-cut.ts'

const SOURCE = new URL('forgetful-disk.c', import.meta.url)

/** A file of the data folder, by its inode. */
interface Name {
  readonly inode: string
  readonly name: string
}

/**
 * A data folder that forgets, when the power is cut, what the service has not synced. The service must run with
 * `settings`, which preload forgetful-disk.c: the page says what it models.
 */
export class ForgetfulDisk implements Disposable {
  readonly #folder = new TemporaryFolder()
  /** The data folder. */
  readonly path = join(this.#folder.path, 'live')
  readonly #synced = join(this.#folder.path, 'synced')
  readonly #ignore = join(this.#folder.path, 'ignore-syncs')
  readonly #writes = join(this.#folder.path, 'writes')
  readonly #library = join(this.#folder.path, 'forgetful-disk.so')

  /** An empty data folder. Where the machine has no C compiler it skips the test, or fails it with HOOKLINE_REQUIRE_COMPILER=1. */
  static orSkip(skip: () => never): ForgetfulDisk {
    needsCompiler(skip)
    return new ForgetfulDisk()
  }

  private constructor() {
    mkdirSync(this.path)
    mkdirSync(this.#synced)
    compile(SOURCE, this.#library)
  }

  get settings(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, POWER_CUT_FOLDER: this.#folder.path }
  }

  /** From now on, syncs do nothing: the planted violation. */
  ignoreSyncs(): void {
    writeFileSync(this.#ignore, '')
  }

  /** The next process on this disk kills itself after so many writes: often while it copies its log into the database. */
  killAfter(writes: number): void {
    writeFileSync(this.#writes, String(writes))
  }

  /**
   * Puts into the data folder what is left of it after a power cut. The service must have been killed.
   * @param writtenBack of the writes that were not synced, the share that the system has written to the disk all the same
   * @param random decides which
   * @returns how many bytes of which file were forgotten
   */
  cutPower(writtenBack: number, random: () => number): Map<string, number> {
    // Without names, the process was killed before its first write.
    const hasBegun = existsSync(join(this.#synced, 'names'))
    const forgotten = hasBegun ? this.#replaceFiles(() => random() < writtenBack) : []
    rmSync(this.#writes, { force: true })
    rmSync(this.#synced, { recursive: true })
    mkdirSync(this.#synced)
    return new Map(forgotten)
  }

  /** Replaces the files with what is left of them. Returns how many bytes each of them lost. */
  #replaceFiles(keeps: () => boolean): [string, number][] {
    const next = join(this.#folder.path, 'next')
    mkdirSync(next)
    const names = keeps() ? this.#liveNames() : this.#syncedNames()
    const forgotten = names.map(({ inode, name }): [string, number] => {
      const file = join(next, name)
      const bytes = writeAfterCut(file, { ...this.#versionsOf(inode), keeps })
      chmodSync(file, 0o600)
      return [name, bytes]
    })
    rmSync(this.path, { recursive: true })
    renameSync(next, this.path)
    return forgotten.filter(([, bytes]) => bytes > 0)
  }

  /** The names of the files that are not completely synced. */
  unsynced(): string[] {
    const synced = new Set(this.#syncedNames().map(({ inode, name }) => `${inode} ${name}`))
    const isSynced = ({ inode, name }: Name): boolean => {
      const versions = this.#versionsOf(inode)
      return synced.has(`${inode} ${name}`) && equalFiles(versions.live, versions.synced)
    }
    return this.#liveNames()
      .filter((each) => !isSynced(each))
      .map(({ name }) => name)
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }

  #versionsOf(inode: string) {
    return {
      live: join(this.#synced, 'pins', inode),
      synced: join(this.#synced, 'content', inode),
    }
  }

  #syncedNames(): Name[] {
    const lines = readFileSync(join(this.#synced, 'names'), 'utf8').trimEnd().split('\n')
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const [inode = '', ...name] = line.split(' ')
        return { inode, name: name.join(' ') }
      })
  }

  #liveNames(): Name[] {
    return readdirSync(this.path).map((name) => ({
      inode: String(statSync(join(this.path, name)).ino),
      name,
    }))
  }
}
