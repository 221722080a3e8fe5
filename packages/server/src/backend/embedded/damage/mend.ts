import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DataDir } from '../database/data-dir.ts'
import { readCommitMark } from './commit-mark.ts'
import { isDamage, isFlagged, removeFlag } from './damage-watch.ts'
import { salvage } from './salvage.ts'

/** A file of this size is checked within half a second. */
const CHECKED_BYTES = 32 * 1024 * 1024

/**
 * Sets aside what cannot be read of a damaged database, before it is opened. Reading all of a large file would make every
 * start slow: so only one that a service has flagged is checked.
 */
export function mendDatabase(file: string): void {
  if (!existsSync(file) || statSync(file).size === 0) return
  if (!isReadable(file, isFlagged(file) || statSync(file).size <= CHECKED_BYTES)) {
    const mark = readCommitMark(dirname(file))
    const commits = mark === undefined || mark === 'damaged' ? 0 : mark.number
    salvage(file, commits)
  }
  removeFlag(file)
}

/** Whether SQLite can read the file: the schema and the log position, or all of it with `checksAll`. */
function isReadable(file: string, checksAll: boolean): boolean {
  try {
    using db = DataDir.openForReading(file)
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    if (!checksAll) return true
    return db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok'
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}
