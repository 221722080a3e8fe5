import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, truncateSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readCommitMark } from './commit-mark.ts'
import { identityOf } from './file-watch.ts'
import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { BackendUnavailableError } from '../../backend.ts'

export const DATABASE_NAME = 'hookline.db'
const LOCK_NAME = 'hookline.lock'

// Result codes: https://www.sqlite.org/rescode.html
const BUSY = 5
const NOT_A_DATABASE = 26

export function lockFileOf(databaseFile: string): string {
  return join(dirname(databaseFile), LOCK_NAME)
}

export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError'
}

/**
 * The data folder, locked for one process: SQLite locks an empty file, and the system releases the
 * lock however the process exits.
 */
export class DataDir implements Disposable {
  readonly databaseFile: string
  readonly emptiedLock: boolean
  readonly #lock: DatabaseSync

  /** Creates the folder if missing. @throws {DataDirInUseError} */
  constructor(folder: string) {
    // Absolute: a relative path would still resolve after the working directory is moved, and hide the move.
    const path = resolve(folder)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    this.databaseFile = join(path, DATABASE_NAME)
    const file = lockFileOf(this.databaseFile)
    const lock = lockOf(path, file)
    this.emptiedLock = lock === undefined
    // SQLite reads the file only if no other process holds the lock.
    if (lock === undefined) truncateSync(file)
    const held = lock ?? lockOf(path, file)
    if (held === undefined) throw new Error(`The lock file ${file} cannot be emptied. Remove it.`)
    this.#lock = held
    if (isOpenInOtherProcess(this.databaseFile, file)) {
      this.#lock.close()
      throw new DataDirInUseError(
        `The database of ${path} is open in another process, and ${LOCK_NAME} was removed or replaced. Stop that process: it may be a Hookline service that still holds the old lock.`,
      )
    }
  }

  /** Opens the database for writing, readable by its owner only. Commits are synced. Deleted content is zeroed. */
  static openForWriting(file: string): DatabaseSync {
    const db = new DatabaseSync(file)
    chmodSync(file, 0o600)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY')
    // Checkpoints after 4,000 pages (16 MB) instead of 1,000: pages that change on every commit are copied back less often.
    db.exec('PRAGMA wal_autocheckpoint = 4000')
    // 32,000 KiB: holds the index pages that a large transaction changes.
    db.exec('PRAGMA cache_size = -32000')
    return db
  }

  /** Opens the database for reading, without temporary files. */
  static openForReading(file: string): DatabaseSync {
    const db = new DatabaseSync(file, { readOnly: true })
    db.exec('PRAGMA temp_store = MEMORY')
    return db
  }

  [Symbol.dispose](): void {
    this.#lock.close()
  }
}

function lockOf(path: string, file: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(file)
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    const { errcode } = cause as { readonly errcode?: number }
    if (errcode === NOT_A_DATABASE) return undefined
    if (errcode !== BUSY) throw cause
    throw new DataDirInUseError(
      `${path} is in use by another Hookline process. Stop that process, or use another data folder (--data-dir).`,
      { cause },
    )
  }
}

/** Whether another process has the database open. Opens it under another name, to leave the write-ahead log untouched. */
function isOpenInOtherProcess(databaseFile: string, lockFile: string): boolean {
  const mark = readCommitMark(dirname(databaseFile))
  const lastLock = mark === 'corrupted' ? undefined : mark?.lock
  if (!existsSync(databaseFile) || identityOf(lockFile) === lastLock) return false
  const name = `${databaseFile}.lock-check`
  rmSync(name, { force: true })
  try {
    linkSync(databaseFile, name)
    using db = new DatabaseSync(name)
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    // Other errors: no hard links, or corruption, which startup reports.
    return (error as { readonly errcode?: number }).errcode === BUSY
  } finally {
    for (const suffix of ['', '-wal', '-journal']) rmSync(name + suffix, { force: true })
  }
}

/** The size of the written test file: more than a request of the default `maxBatchBytes` needs. */
const PROBE_BYTES = 1024 * 1024

let probe: Buffer | undefined

/** Checks that the disk accepts new data. A database write could fit into free pages. */
export async function probeDisk(databaseFile: string): Promise<void> {
  const file = join(dirname(databaseFile), 'disk-probe')
  try {
    await using handle = await open(file, 'w', 0o600)
    // Random, because a compressing file system needs no room for zeros.
    await handle.writeFile((probe ??= randomBytes(PROBE_BYTES)))
    await handle.sync()
  } catch (cause) {
    // Not the message: it contains the path, and `/readyz` is public.
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new BackendUnavailableError(`Cannot write to the database disk (${code}).`, { cause })
  } finally {
    await rm(file, { force: true }).catch(() => undefined)
  }
}
