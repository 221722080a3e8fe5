import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DataDir } from '../database/data-dir.ts'
import { isDamage } from '../database/sqlite-errors.ts'

/** The database is damaged. A start is refused and leaves the file as it is. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'

  /** @param found the report of SQLite */
  constructor(file: string, found: string) {
    const dataDir = dirname(file)
    super(
      `The database ${file} is damaged (${found}). Check the disk. Then restore a backup (hookline restore <backup> --replace --data-dir ${dataDir}). ` +
        `Without a backup, rebuild it from its readable rows (hookline rebuild --data-dir ${dataDir}).`,
    )
  }
}

/**
 * Watches every read and write for damage of the file. There may be more damage than was found: so the service must exit, and
 * the flag makes its next start check the whole file.
 */
export class DamageWatch {
  /** Resolves when damage is found. */
  readonly found: Promise<Error>
  readonly #file: string
  readonly #resolve: (error: Error) => void

  constructor(databaseFile: string) {
    this.#file = databaseFile
    const { promise, resolve } = Promise.withResolvers<Error>()
    this.found = promise
    this.#resolve = resolve
  }

  /** Call it with the error of any operation. */
  see(error: unknown): void {
    if (!isDamage(error)) return
    try {
      setFlag(this.#file)
    } catch {
      // The next start may find the damage by itself, as this one did.
    }
    this.#resolve(error as Error)
  }

  /** Opens the database for reading; the watch sees every error of its statements. */
  openForReading(): DatabaseSync {
    const db = DataDir.openForReading(this.#file)
    const prepare = db.prepare.bind(db)
    db.prepare = (...args) => {
      const statement = prepare(...args)
      const get = statement.get.bind(statement) as (...values: never[]) => never
      const all = statement.all.bind(statement) as (...values: never[]) => never
      statement.get = (...values: never[]) => this.#watched(() => get(...values))
      statement.all = (...values: never[]) => this.#watched(() => all(...values))
      return statement
    }
    return db
  }

  #watched<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      this.see(error)
      throw error
    }
  }
}

/** A file of this size is checked within half a second. */
const CHECKED_BYTES = 32 * 1024 * 1024

/**
 * Checks a database before it is opened. Reading all of a large file would make every start slow. So of those, only one is
 * checked that is flagged, or from which commits are known to be missing: SQLite ends a damaged write-ahead log at its
 * first damaged frame, and later pages may already be in the database.
 * @returns whether all of it was checked
 * @throws {DamagedDatabase}
 */
export function checkDatabase(file: string, hasLoss: boolean): boolean {
  if (!existsSync(file) || statSync(file).size === 0) return false
  // A first start was cut off: SQLite must roll back what it wrote before the file can be read.
  if (existsSync(`${file}-journal`)) DataDir.openForWriting(file).close()
  const checksAll = hasLoss || statSync(file).size <= CHECKED_BYTES || existsSync(flagOf(file))
  const found = damageIn(file, checksAll)
  if (found !== undefined) throw new DamagedDatabase(file, found)
  removeFlag(file)
  return checksAll
}

/** What is wrong with the schema, or with all of the database, in SQLite's words. */
function damageIn(file: string, checksAll: boolean): string | undefined {
  try {
    using db = DataDir.openForReading(file)
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    if (!checksAll) return undefined
    const found = String(db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'])
    return found === 'ok' ? undefined : found
  } catch (error) {
    if (isDamage(error)) return (error as Error).message
    throw error
  }
}

/** The next start checks all of the database. */
export function setFlag(databaseFile: string): void {
  writeFileSync(flagOf(databaseFile), '', { mode: 0o600 })
}

export function removeFlag(databaseFile: string): void {
  rmSync(flagOf(databaseFile), { force: true })
}

function flagOf(databaseFile: string): string {
  return join(dirname(databaseFile), 'damage-found')
}
