import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What the database in a data folder is called. */
export const DATABASE_NAME = 'hookline.db'

/** Another process works on the same folder. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse'
}

/**
 * The folder that holds everything the embedded backend keeps, for one process at a time.
 * The lock is SQLite's own on a file beside the database: the system frees it however the process ends.
 */
export class DataDir implements Disposable {
  readonly databaseFile: string
  readonly #lock: DatabaseSync

  /** Makes the folder where it is missing. @throws {DataDirInUse} */
  constructor(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    this.databaseFile = join(path, DATABASE_NAME)
    this.#lock = new DatabaseSync(join(path, 'hookline.lock'))
    try {
      this.#lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    } catch (cause) {
      this.#lock.close()
      throw new DataDirInUse(
        `${path} is in use by another Hookline process. Stop that one, or give this one a data folder of its own (--data-dir).`,
        { cause },
      )
    }
  }

  /**
   * Opens the database for writing, owner-only, set so that a commit survives a power cut, and that what
   * is deleted is zeroed where it was and never was in a temporary file.
   */
  static openForWriting(file: string): DatabaseSync {
    const db = new DatabaseSync(file)
    chmodSync(file, 0o600)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON')
    db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY')
    // 16 MB of log between checkpoints, not 4: a page that changes at every commit is copied back less often.
    db.exec('PRAGMA wal_autocheckpoint = 4000')
    // 32 MB: what a large transaction changes at random places of an index has room, and is not written twice.
    db.exec('PRAGMA cache_size = -32000')
    return db
  }

  [Symbol.dispose](): void {
    this.#lock.close()
  }
}
