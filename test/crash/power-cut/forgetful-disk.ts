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
 * A data folder that loses unsynced data when the power is cut. The service must run with `settings`, which preload
 * forgetful-disk.c. Its header describes the model.
 */
export class ForgetfulDisk implements Disposable {
  readonly #folder = new TemporaryFolder()
  /** The data folder. */
  readonly path = join(this.#folder.path, 'live')
  readonly #synced = join(this.#folder.path, 'synced')
  readonly #ignore = join(this.#folder.path, 'ignore-syncs')
  readonly #writes = join(this.#folder.path, 'writes')
  readonly #library = join(this.#folder.path, 'forgetful-disk.so')

  /** Creates an empty data folder. Without a C compiler, skips the test, or fails it if HOOKLINE_REQUIRE_COMPILER is 1. */
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

  /** Makes syncs do nothing, as a planted violation. */
  ignoreSyncs(): void {
    writeFileSync(this.#ignore, '')
  }

  /** Makes the next process on this disk kill itself after this many writes, often during a checkpoint. */
  killAfter(writes: number): void {
    writeFileSync(this.#writes, String(writes))
  }

  /**
   * Restores the data folder to its state after a power cut. The service must have been killed.
   * @param writtenBack the share of unsynced writes that reached the disk anyway
   * @param random selects these writes
   * @returns the number of lost bytes by file
   */
  cutPower(writtenBack: number, random: () => number): Map<string, number> {
    // If there are no names, the process was killed before its first write.
    const hasBegun = existsSync(join(this.#synced, 'names'))
    const forgotten = hasBegun ? this.#replaceFiles(() => random() < writtenBack) : []
    rmSync(this.#writes, { force: true })
    rmSync(this.#synced, { recursive: true })
    mkdirSync(this.#synced)
    return new Map(forgotten)
  }

  /** Replaces the files with their surviving content. Returns the number of bytes that each has lost. */
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

  /** The names of files with unsynced data. */
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
