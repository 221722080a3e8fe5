import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DataDir } from '../database/data-dir.ts'
import { isCorruption } from '../database/sqlite-errors.ts'

/** The database is corrupted. Startup fails and leaves the file unchanged. */
export class CorruptedDatabaseError extends Error {
  override readonly name = 'CorruptedDatabaseError'

  constructor(file: string, found: string) {
    const dataDir = dirname(file)
    super(
      `The database ${file} is corrupted (${found}). Check the disk. Then restore a backup (hookline restore <backup> --replace --data-dir ${dataDir}). ` +
        `Without a backup, rebuild it from its readable rows (hookline rebuild --data-dir ${dataDir}).`,
    )
  }
}

/** Watches reads and writes. On corruption, the service must exit; a flag makes the next start check the file. */
export class CorruptionWatch {
  readonly #file: string
  readonly #found = Promise.withResolvers<Error>()
  readonly found = this.#found.promise

  constructor(databaseFile: string) {
    this.#file = databaseFile
  }

  /** Checks whether the error of an operation means corruption. */
  inspect(error: unknown): void {
    if (!isCorruption(error)) return
    try {
      setFlag(this.#file)
    } catch {
      // Without the flag, the next start may still find the corruption.
    }
    this.#found.resolve(error as Error)
  }

  openForReading(): DatabaseSync {
    const db = DataDir.openForReading(this.#file)
    const prepare = db.prepare.bind(db)
    db.prepare = (...args) => {
      const statement = prepare(...args)
      statement.get = this.#watched(statement.get.bind(statement))
      statement.all = this.#watched(statement.all.bind(statement))
      return statement
    }
    return db
  }

  #watched<F extends (...values: never[]) => unknown>(read: F): F {
    const watched = (...values: never[]): unknown => {
      try {
        return read(...values)
      } catch (error) {
        this.inspect(error)
        throw error
      }
    }
    return watched as F
  }
}

const CHECKED_BYTES = 32 * 1024 * 1024

/**
 * Checks a database: a large one completely only if flagged or `acceptsLoss`.
 * @returns whether the whole file was checked
 * @throws {CorruptedDatabaseError}
 */
export function checkDatabase(file: string, acceptsLoss: boolean): boolean {
  if (!existsSync(file) || statSync(file).size === 0) return false
  // A first start was interrupted: SQLite must roll back before the file can be read.
  if (existsSync(`${file}-journal`)) DataDir.openForWriting(file).close()
  const checksAll = acceptsLoss || statSync(file).size <= CHECKED_BYTES || existsSync(flagOf(file))
  const corruption = corruptionIn(file, checksAll)
  if (corruption !== undefined) throw new CorruptedDatabaseError(file, corruption)
  removeFlag(file)
  return checksAll
}

function corruptionIn(file: string, checksAll: boolean): string | undefined {
  try {
    using db = DataDir.openForReading(file)
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    if (!checksAll) return undefined
    const report = String(db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'])
    return report === 'ok' ? undefined : report
  } catch (error) {
    if (isCorruption(error)) return (error as Error).message
    throw error
  }
}

export function setFlag(databaseFile: string): void {
  writeFileSync(flagOf(databaseFile), '', { mode: 0o600 })
}

export function removeFlag(databaseFile: string): void {
  rmSync(flagOf(databaseFile), { force: true })
}

function flagOf(databaseFile: string): string {
  return join(dirname(databaseFile), 'corruption-found')
}
