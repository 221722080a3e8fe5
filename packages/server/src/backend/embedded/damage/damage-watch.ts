import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../database/is-damage.ts'

/** The database is damaged. The service does not go on with it, and changes nothing of it. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'

  /** @param found what SQLite says */
  constructor(file: string, found: string) {
    const dataDir = dirname(file)
    super(
      `The database ${file} is damaged (${found}). Check the disk. Then restore a backup (hookline restore <backup> --replace --data-dir ${dataDir}). ` +
        `Without one, go on with what can be read of it (hookline rebuild --data-dir ${dataDir}).`,
    )
  }
}

/**
 * Watches every read and write for damage of the file. What is damaged stays damaged, and nobody knows what else is: so the
 * service must end, and its next start, which the flag tells, checks all of it.
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
