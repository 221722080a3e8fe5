import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { lastCommit, type Commit, markFileOf, readCommitMark } from '../database/commit-mark.ts'
import { DataDir } from '../database/data-dir.ts'
import { KEY_FILE } from '../database/key-files.ts'
import { hasTable } from '../database/statements.ts'

/** The data folder had commits that are not in its database. */
class CommitsMissing extends Error {
  override readonly name = 'CommitsMissing'
}

/**
 * Compares the database with the commit mark of its folder, and changes nothing: the files of a refused start stay as they
 * are.
 * @param accepted the number of the last commit that is left, where an operator knows that the later ones are lost
 * @returns what is missing in words, where `accepted` says that it is known
 * @throws {CommitsMissing}
 */
export function findMissingCommits(
  dataDir: string,
  file: string,
  accepted: number | undefined,
): string | undefined {
  const mark = readCommitMark(dataDir)
  const isThere = existsSync(file) && statSync(file).size > 0
  if (!isThere) return missingDatabase(dataDir, file, mark, accepted)
  if (mark === undefined) return undefined
  // For reading: the last connection for writing would remove the write-ahead log, with what could be read of it.
  using db = DataDir.openForReading(file)
  const present = lastCommit(db)
  if (mark === 'damaged') {
    return `The file ${markFileOf(dataDir)} is damaged: whether commits after number ${present} are missing cannot be known.`
  }
  if (present >= mark.number) return undefined
  const description = describe(db, mark, present)
  if (accepted === present) return description
  throw new CommitsMissing(
    `${description} The database file or its write-ahead log was damaged, replaced or removed. ` +
      `Put the files hookline.db and hookline.db-wal back if you have them, or restore a backup (hookline restore <backup> --replace). ${goOn(present, 'without what is missing')}`,
  )
}

/** A folder with a commit mark or an encryption key was in use: somebody has removed its database, or forgotten it. */
function missingDatabase(
  dataDir: string,
  file: string,
  mark: ReturnType<typeof readCommitMark>,
  accepted: number | undefined,
): string | undefined {
  if (mark === undefined && !existsSync(join(dataDir, KEY_FILE))) return undefined
  const last =
    mark === undefined || mark === 'damaged'
      ? ''
      : ` It had ${mark.number} commits and ${mark.lastSeq} events.`
  const description = `The database of ${dataDir} is missing: ${file} ${existsSync(file) ? 'is empty' : 'does not exist'}, but the folder was in use before.${last}`
  if (accepted === 0) return description
  throw new CommitsMissing(
    `${description} Put the file back, or restore a backup (hookline restore). ${goOn(0, 'with a new, empty database')}`,
  )
}

/** After it, the folder has no mark, until its next start. */
export function removeCommitMark(dataDir: string): void {
  rmSync(markFileOf(dataDir), { force: true })
}

function describe(db: DatabaseSync, { number, lastSeq }: Commit, present: number): string {
  const commits = `The last ${number - present} of ${number} commits are missing from the database.`
  const last = lastEvent(db)
  if (last >= lastSeq) return commits
  return `${commits} Among them are those of up to ${lastSeq - last} events, with the numbers ${last + 1} to ${lastSeq}.`
}

function lastEvent(db: DatabaseSync): number {
  if (!hasTable(db, 'events')) return 0
  return Number(db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'] ?? 0)
}

function goOn(present: number, how: string): string {
  return `To go on ${how}, start once with --accept-loss ${present}.`
}
