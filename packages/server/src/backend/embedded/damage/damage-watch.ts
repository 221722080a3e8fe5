import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../database/is-damage.ts'

/** A start has found damage of the database, and could not mend it. */
export class CannotBeMended extends Error {
  override readonly name = 'CannotBeMended'

  constructor(file: string, cause: Error) {
    super(
      `The database ${file} is damaged and cannot be mended (${cause.message}). Check the disk, and restore a backup: hookline restore <backup> --replace --data-dir ${dirname(file)}`,
      { cause },
    )
  }
}

/**
 * Watches every read and write for damage of the file. What is damaged stays damaged, and nobody knows what else is: so the
 * service must end, and its next start, which the flag tells, sets aside what cannot be read.
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
      // The next start finds the damage by itself, as this one did.
    }
    this.#resolve(error as Error)
  }

  /** Opens the database for reading; the watch sees every error of its statements. */
  openForReading(open: () => DatabaseSync): DatabaseSync {
    const db = open()
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

/** The next start checks all of the database. */
export function setFlag(databaseFile: string): void {
  writeFileSync(flagOf(databaseFile), '', { mode: 0o600 })
}

/** Whether damage of the database was found. */
export function isFlagged(databaseFile: string): boolean {
  return existsSync(flagOf(databaseFile))
}

export function removeFlag(databaseFile: string): void {
  rmSync(flagOf(databaseFile), { force: true })
}

function flagOf(databaseFile: string): string {
  return join(dirname(databaseFile), 'damage-found')
}
