import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { countText } from '../../../util/count-text.ts'
import { lastCommit, type Commit, markFileOf, readCommitMark } from '../database/commit-mark.ts'
import { DataDir } from '../database/data-dir.ts'
import { KEY_FILE } from '../database/key-files.ts'
import { hasTable } from '../database/statements.ts'

class MissingCommitsError extends Error {
  override readonly name = 'MissingCommitsError'
}

/** Compares the database with its commit mark. @returns the loss @throws {MissingCommitsError} unless it is `accepted` */
export function findMissingCommits(
  dataDir: string,
  file: string,
  accepted: number | undefined,
): string | undefined {
  const mark = readCommitMark(dataDir)
  const exists = existsSync(file) && statSync(file).size > 0
  if (!exists) return missingDatabase(dataDir, file, mark, accepted)
  if (mark === undefined) return undefined
  // Read-only: closing the last writable connection would remove the write-ahead log.
  using db = DataDir.openForReading(file)
  const present = lastCommit(db)
  if (mark === 'corrupted') {
    return `The file ${markFileOf(dataDir)} is corrupted, so missing commits after number ${present} cannot be detected.`
  }
  if (present >= mark.number) return undefined
  const description = describe(db, mark, present)
  if (accepted === present) return description
  throw new MissingCommitsError(
    `${description} The database file or its write-ahead log was corrupted, replaced or removed. ` +
      `Restore the original hookline.db and hookline.db-wal if you have them, or restore a backup (hookline restore <backup> --replace). ${acceptHint(present, 'without the missing commits')}`,
  )
}

/** A folder with a commit mark or an encryption key was in use before. */
function missingDatabase(
  dataDir: string,
  file: string,
  mark: ReturnType<typeof readCommitMark>,
  accepted: number | undefined,
): string | undefined {
  if (mark === undefined && !existsSync(join(dataDir, KEY_FILE))) return undefined
  const last =
    mark === undefined || mark === 'corrupted'
      ? ''
      : ` The database's last commit was number ${mark.number}, and its last event number ${mark.lastSeq}.`
  const description = `The database of ${dataDir} is missing: ${file} ${existsSync(file) ? 'is empty' : 'does not exist'}, but the folder was in use before.${last}`
  if (accepted === 0) return description
  throw new MissingCommitsError(
    `${description} Restore the file, or restore a backup (hookline restore). ${acceptHint(0, 'with a new, empty database')}`,
  )
}

/** Removes the mark. The next start creates a new one. */
export function removeCommitMark(dataDir: string): void {
  rmSync(markFileOf(dataDir), { force: true })
}

function describe(db: DatabaseSync, { number, lastSeq }: Commit, present: number): string {
  const missing = number - present
  const commits = `The last ${missing === 1 ? 'commit is' : `${missing} of ${number} commits are`} missing from the database.`
  const row = hasTable(db, 'events') && db.prepare('SELECT MAX(seq) AS seq FROM events').get()
  const last = Number((row && row['seq']) ?? 0)
  if (last >= lastSeq) return commits
  const numbers = last + 1 === lastSeq ? `number ${lastSeq}` : `numbers ${last + 1} to ${lastSeq}`
  return `${commits} At most ${countText(lastSeq - last, 'event')} (${numbers}) may be lost.`
}

function acceptHint(present: number, how: string): string {
  return `To continue ${how}, start once with --accept-loss ${present}.`
}
