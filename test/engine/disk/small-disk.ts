import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'

interface Sizes {
  readonly bytes: number
  readonly ballastBytes: number
}

/** Mounts the disk. Without the permission to mount, skips the test, or fails it if HOOKLINE_REQUIRE_MOUNT is 1. */
export function diskOrSkip(sizes: Sizes, skip: () => never): SmallDisk {
  return (
    SmallDisk.mount(sizes) ??
    skipOrFail('the right to mount a file system', 'HOOKLINE_REQUIRE_MOUNT', skip)
  )
}

/** A file system of a few megabytes. A ballast file can be removed to free space. */
export class SmallDisk implements Disposable {
  readonly path: string
  readonly #ballast: string

  private constructor(path: string, ballastBytes: number) {
    this.path = path
    this.#ballast = join(path, 'ballast')
    writeFileSync(this.#ballast, Buffer.alloc(ballastBytes))
  }

  /** @returns `undefined` if this user may not mount a file system */
  static mount(sizes: Sizes): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), 'hookline-disk-'))
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizes.bytes}`, 'tmpfs', path], {
        stdio: 'ignore',
      })
    } catch {
      rmdirSync(path)
      return undefined
    }
    return new SmallDisk(path, sizes.ballastBytes)
  }

  /** Frees space by removing the ballast file. */
  free(): void {
    rmSync(this.#ballast)
  }

  [Symbol.dispose](): void {
    execFileSync('umount', [this.path])
    rmdirSync(this.path)
  }
}
