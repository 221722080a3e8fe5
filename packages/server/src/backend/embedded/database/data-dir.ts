import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, truncateSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readCommitMark } from './commit-mark.ts'
import { identityOf } from './file-watch.ts'
import { randomBytes } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { BackendUnavailable } from '../../backend.ts'

/** The file name of the database in a data folder. */
export const DATABASE_NAME = 'hookline.db'
const LOCK_NAME = 'hookline.lock'

// Result codes of SQLite: https://www.sqlite.org/rescode.html
const BUSY = 5
const NOT_A_DATABASE = 26

/** The lock file of the folder that a database is in. */
export function lockFileOf(databaseFile: string): string {
  return join(dirname(databaseFile), LOCK_NAME)
}

/** Another process uses the same data folder. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse'
}

/**
 * The data folder of the embedded backend, locked for one process at a time.
 * The lock is SQLite's own, on a file beside the database: the system releases it however the process ends. The file is
 * empty, and what is in it says nothing about who holds the lock. Where the file is another one than the last process
 * had, that process may still run: so the locks of the database are tried, too.
 */
export class DataDir implements Disposable {
  readonly databaseFile: string
  /** Whether the lock file had content that was not Hookline's, and was emptied. */
  readonly emptiedLock: boolean
  readonly #lock: DatabaseSync

  /** Creates the folder where it is missing. @throws {DataDirInUse} */
  constructor(folder: string) {
    // A relative path names the same folder after it was moved together with the working folder.
    const path = resolve(folder)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    this.databaseFile = join(path, DATABASE_NAME)
    const file = lockFileOf(this.databaseFile)
    const first = lockOf(path, file)
    this.emptiedLock = first === 'not a lock'
    // SQLite reads the file only where no other process holds the lock, so this takes it from none.
    if (first === 'not a lock') truncateSync(file)
    const lock = first === 'not a lock' ? lockOf(path, file) : first
    if (lock === 'not a lock') throw new Error(`${file} cannot be emptied. Remove it.`)
    this.#lock = lock
    if (isOpenElsewhere(this.databaseFile, file)) {
      lock.close()
      throw new DataDirInUse(
        `The database of ${path} is open in another process, and ${LOCK_NAME} was removed or replaced. Stop that process: it may be a Hookline service that holds the former lock.`,
      )
    }
  }

  /**
   * Opens the database for writing, readable by its owner only. A commit survives a power cut. Deleted content is
   * overwritten with zeros, and is never in a temporary file.
   */
  static openForWriting(file: string): DatabaseSync {
    const db = new DatabaseSync(file)
    chmodSync(file, 0o600)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY')
    // 16 MB of write-ahead log between checkpoints, not 4: pages that change at every commit are copied back
    // less often.
    db.exec('PRAGMA wal_autocheckpoint = 4000')
    // 32 MB: the index pages that a large transaction changes fit into the cache, and are written once.
    db.exec('PRAGMA cache_size = -32000')
    return db
  }

  /** Opens the database for reading. What it sorts or groups is never in a temporary file. */
  static openForReading(file: string): DatabaseSync {
    const db = new DatabaseSync(file, { readOnly: true })
    db.exec('PRAGMA temp_store = MEMORY')
    return db
  }

  [Symbol.dispose](): void {
    this.#lock.close()
  }
}

/** The lock, held; or `'not a lock'` where the file has other content. @throws {DataDirInUse} */
function lockOf(path: string, file: string): DatabaseSync | 'not a lock' {
  const lock = new DatabaseSync(file)
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    const { errcode } = cause as { readonly errcode?: number }
    if (errcode === NOT_A_DATABASE) return 'not a lock'
    if (errcode !== BUSY) throw cause
    throw new DataDirInUse(
      `${path} is in use by another Hookline process. Stop that one, or start this one with another data folder (--data-dir).`,
      { cause },
    )
  }
}

/**
 * Whether another process has the database open, where the lock file is not the one that the last process held. The
 * database is opened under another name, so that its write-ahead log stays as it is.
 */
function isOpenElsewhere(databaseFile: string, lockFile: string): boolean {
  const mark = readCommitMark(dirname(databaseFile))
  const lastLock = mark === 'damaged' ? undefined : mark?.lock
  if (!existsSync(databaseFile) || identityOf(lockFile) === lastLock) return false
  const name = `${databaseFile}.lock-check`
  rmSync(name, { force: true })
  try {
    linkSync(databaseFile, name)
    using db = new DatabaseSync(name)
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return false
  } catch (error) {
    // Another error: the file system has no hard links, or the database is damaged, which the start deals with.
    return (error as { readonly errcode?: number }).errcode === BUSY
  } finally {
    for (const suffix of ['', '-wal', '-journal']) rmSync(name + suffix, { force: true })
  }
}

/** More than the calls of a request of `maxBatchBytes` need. */
const PROBE_BYTES = 1024 * 1024

/**
 * Finds out whether the disk of the database takes new data. It writes a file beside the database, syncs and removes it: a
 * change of the database itself may fit into space that the file has already, and so succeed on a full disk.
 */
export class DiskProbe {
  readonly #file: string
  /** Random: a file system that compresses needs no room for zeros. */
  readonly #bytes = randomBytes(PROBE_BYTES)
  #running: Promise<void> | undefined

  constructor(databaseFile: string) {
    this.#file = join(dirname(databaseFile), 'disk-probe')
  }

  /** Calls at the same time share one write. @throws {BackendUnavailable} where the disk takes no data */
  run(): Promise<void> {
    this.#running ??= this.#write().finally(() => (this.#running = undefined))
    return this.#running
  }

  async #write(): Promise<void> {
    try {
      await using handle = await open(this.#file, 'w', 0o600)
      await handle.writeFile(this.#bytes)
      await handle.sync()
    } catch (cause) {
      // Not the message: it has the path of the file, and the response to /readyz is public.
      const { code = 'unknown error' } = cause as NodeJS.ErrnoException
      throw new BackendUnavailable(`The disk of the database takes no data (${code}).`, { cause })
    } finally {
      await rm(this.#file, { force: true }).catch(() => undefined)
    }
  }
}
