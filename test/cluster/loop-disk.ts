import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

/** Three times the size of a NATS server's file store. The file is sparse. */
const IMAGE_BYTES = 160 * 1024 * 1024
/** Longer than any test, so that only syncs commit the file system's journal. */
const COMMIT_SECONDS = 3600

/**
 * A file system in a file, on a loop device. A power cut leaves only the data that had reached the file: all synced writes, and
 * few others. Unlike a preloaded library, it also works for programs that do not use libc, such as Go's.
 */
export class LoopDisk implements Disposable {
  readonly #path: string
  readonly #images = new TemporaryFolder()
  #cuts = 0

  private constructor(path: string) {
    this.#path = path
  }

  /** Mounts an empty file system at a folder. */
  static mount(path: string): LoopDisk {
    const disk = new LoopDisk(path)
    try {
      run('truncate', '-s', String(IMAGE_BYTES), disk.#image)
      run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', disk.#image)
      disk.#mount()
      return disk
    } catch (error) {
      disk.#images[Symbol.dispose]()
      throw error
    }
  }

  /** Whether this user may mount such a disk. Prints the reason if not, or fails with HOOKLINE_REQUIRE_MOUNT=1. */
  static isPossible(): boolean {
    using folder = new TemporaryFolder()
    try {
      LoopDisk.mount(folder.path)[Symbol.dispose]()
      return true
    } catch (error) {
      if (process.env['HOOKLINE_REQUIRE_MOUNT'] === '1') throw error
      console.log(`skipped: power cuts of disks (${String(error)})`)
      return false
    }
  }

  /** Loses all unsynced writes. No process may have a file open on the disk. */
  cutPower(): void {
    const before = this.#image
    this.#cuts++
    run('cp', '--sparse=always', before, this.#image)
    // After the copy, because unmounting writes the rest to the file.
    run('umount', this.#path)
    rmSync(before)
    this.#mount()
  }

  [Symbol.dispose](): void {
    run('umount', this.#path)
    this.#images[Symbol.dispose]()
  }

  get #image(): string {
    return join(this.#images.path, `${this.#cuts}.img`)
  }

  #mount(): void {
    run('mount', '-o', `loop,commit=${COMMIT_SECONDS}`, this.#image, this.#path)
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
