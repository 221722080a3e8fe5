import { existsSync, statSync } from 'node:fs'
import { DataDir } from '../database/data-dir.ts'
import { isDamage } from '../database/is-damage.ts'
import { DamagedDatabase, isFlagged, removeFlag } from './damage-watch.ts'

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
  if (existsSync(`${file}-journal`)) rollBack(file)
  const checksAll = hasLoss || isSmallOrFlagged(file)
  const found = damageIn(file, checksAll)
  if (found !== undefined) throw new DamagedDatabase(file, found)
  removeFlag(file)
  return checksAll
}

function isSmallOrFlagged(file: string): boolean {
  return statSync(file).size <= CHECKED_BYTES || isFlagged(file)
}

/** A first start was cut off: what it wrote has to go before the file can be read. */
function rollBack(file: string): void {
  DataDir.openForWriting(file).close()
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
