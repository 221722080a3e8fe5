import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An in-memory file system, where syncs cost nothing. On disk, tests would spend most of their time on syncs. */
const MEMORY = '/dev/shm'
/** Enough for the largest test databases. In containers, /dev/shm is often limited to 64 MiB. */
const MIN_FREE_BYTES = 4 * 2 ** 30

/** A new empty folder, removed at the end of its scope. It is in memory if enough memory is free, unless `HOOKLINE_TEST_DISK` is 1. */
export class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(parentFolder(), 'hookline-test-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

function parentFolder(): string {
  return process.env['HOOKLINE_TEST_DISK'] !== '1' && hasRoom(MEMORY) ? MEMORY : tmpdir()
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}
