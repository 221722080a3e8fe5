import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DataDir } from '../database/data-dir.ts'
import { isDamage } from '../database/is-damage.ts'
import { repairWal, type WalRepair } from '../wal-repair/repair-wal.ts'
import { readCommitMark } from '../database/commit-mark.ts'
import { isFlagged, removeFlag, setFlag } from './damage-watch.ts'
import { addDamages } from './damages.ts'
import { hasKnownSchema } from './known-schema.ts'
import { finishSalvage, salvage } from './salvage.ts'

/** A file of this size is checked within half a second. */
const CHECKED_BYTES = 32 * 1024 * 1024

/**
 * Repairs a damaged write-ahead log, and sets aside what cannot be read of a damaged database, before it is opened. Reading
 * all of a large file would make every start slow: so only one that is flagged is checked.
 * @returns whether all of it was checked
 */
export function mendDatabase(file: string): boolean {
  finishSalvage(file)
  if (!existsSync(file) || statSync(file).size === 0) return false
  if (existsSync(`${file}-journal`)) rollBack(file)
  const mark = readCommitMark(dirname(file))
  const commit = mark === 'damaged' ? undefined : mark
  const damage = commit && damageOfLog(repairWal(`${file}-wal`, commit.log))
  if (damage !== undefined) setFlag(file)
  const checksAll = isSmallOrFlagged(file)
  const isWhole = isReadable(file, checksAll)
  if (!isWhole) salvage(file, commit?.number ?? 0)
  if (damage !== undefined) remember(file, damage)
  removeFlag(file)
  return checksAll || !isWhole
}

function isSmallOrFlagged(file: string): boolean {
  return statSync(file).size <= CHECKED_BYTES || isFlagged(file)
}

/** A first start was cut off: what it wrote has to go before the file can be read. */
function rollBack(file: string): void {
  DataDir.openForWriting(file).close()
}

/** What is wrong with the write-ahead log, in words; `undefined` where nothing is. */
function damageOfLog({ damaged }: WalRepair): string | undefined {
  if (damaged.length === 0) return undefined
  const uncertain = damaged.filter(
    ({ corrected, isReplacedLater }) => !corrected && !isReplacedLater,
  )
  const repaired = `${damaged.length} damaged frames of the write-ahead log were repaired.`
  if (uncertain.length === 0) return `${repaired} Nothing is lost.`
  const pages = uncertain.map(({ page }) => (page === 0 ? 'an unknown one' : page))
  return `${repaired} These pages of the database may be wrong: ${[...new Set(pages)].join(', ')}.`
}

function remember(file: string, description: string): void {
  using db = DataDir.openForWriting(file)
  addDamages(db, [{ description, blocks: false }])
}

/** Whether SQLite can read the file: the schema, or all of it with `checksAll`. */
function isReadable(file: string, checksAll: boolean): boolean {
  try {
    using db = DataDir.openForReading(file)
    db.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    if (!checksAll) return true
    const isWhole = db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok'
    // SQLite does not check the texts of triggers. Where one is damaged, the opening has failed at it, and set the flag.
    return isWhole && (!isFlagged(file) || hasKnownSchema(db))
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}
