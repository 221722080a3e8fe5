import { existsSync } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFolder, readIfExists } from '../../../util/durable-file.ts'
import { removeCommitMark } from '../corruption/missing-commits.ts'
import { copyDatabase } from '../database/copy-database.ts'
import { isCorruption } from '../database/sqlite-errors.ts'
import { DATABASE_NAME, DataDir } from '../database/data-dir.ts'
import { MIGRATIONS, schemaVersion } from '../migrations/migrate.ts'
import { type EmbeddedOptions, openEmbeddedBackend, prepareDatabase } from '../open.ts'
import type { StoppedData, StoredRow } from '../../stopped-data.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { existingSecretBox, KEY_FILES } from '../database/key-files.ts'
import { openedText } from '../database/reseal.ts'
import { RECORDED_POSITIONS } from '../log/write-log.ts'
import { hasTable } from '../database/statements.ts'

/** The file is not a Hookline database, is corrupted, or would replace another database. */
export class UnusableDatabaseError extends Error {
  override readonly name = 'UnusableDatabaseError'
}

/** Copies the database of a stopped service to `file`. @throws {DataDirInUseError} */
export async function backUpStopped(dataDir: string, file: string): Promise<void> {
  using folder = new DataDir(dataDir)
  const { databaseFile } = folder
  refuseMissing(dataDir)
  await copyDatabase(databaseFile, file).catch((error: unknown) => {
    if (!isCorruption(error)) throw error
    const { message } = error as Error
    throw new UnusableDatabaseError(
      `The database ${databaseFile} is corrupted (${message}), so it cannot be backed up. Copy the file to keep it. hookline rebuild creates a new database from its readable rows.`,
    )
  })
}

/**
 * Restores a backup. If the folder has a database, throws; with `replace`, keeps a copy of that
 * database and returns its file.
 * @throws {UnusableDatabaseError} without changing anything
 * @throws {DataDirInUseError}
 */
export async function restoreInto(
  dataDir: string,
  file: string,
  { replace }: { readonly replace: boolean },
): Promise<string | undefined> {
  const [corruption] = corruptionsOf(file)
  if (corruption !== undefined)
    throw new UnusableDatabaseError(`${file} cannot be restored: ${corruption}`)
  using folder = new DataDir(dataDir)
  const { databaseFile } = folder
  if (!replace && existsSync(databaseFile)) {
    throw new UnusableDatabaseError(
      `${dataDir} already has a database. Restore into another folder, or use --replace, which keeps that database beside the new one.`,
    )
  }
  const [restored, previous] = [`${databaseFile}.restored`, `${databaseFile}.before-restore`]
  try {
    await copyDatabase(file, restored)
    return await replaceDatabase(databaseFile, restored, previous)
  } finally {
    await rm(restored, { force: true })
  }
}

/** Replaces the database of a data folder, and copies it to `previous` first. Returns `previous` if there was one. */
export async function replaceDatabase(
  databaseFile: string,
  fresh: string,
  previous: string,
): Promise<string | undefined> {
  const dataDir = dirname(databaseFile)
  const exists = existsSync(databaseFile)
  if (exists) await keepPrevious(databaseFile, previous)
  removeCommitMark(dataDir)
  await rename(fresh, databaseFile)
  await syncFolder(dataDir)
  return exists ? previous : undefined
}

/** Migrates the database of a stopped service. Returns the schema versions before and after. @throws {UnusableDatabaseError} if missing */
export async function migrateStopped(
  options: EmbeddedOptions,
): Promise<{ readonly from: number; readonly to: number }> {
  const file = refuseMissing(options.dataDir)
  const from = schemaOf(file)
  await using _opened = await openEmbeddedBackend(options)
  return { from, to: schemaOf(file) }
}

/**
 * Migrates the data of a stopped service, and opens it for a move.
 * @throws {DataDirInUseError | UnusableDatabaseError}
 */
export function openStoppedData(options: Omit<EmbeddedOptions, 'maxWaitingBytes'>): StoppedData {
  using stack = new DisposableStack()
  const { dataDir, encryptionKey } = options
  refuseMissing(dataDir)
  const { databaseFile } = stack.use(new DataDir(dataDir))
  const { box } = prepareDatabase(databaseFile, options, (used) =>
    existingSecretBox(dataDir, encryptionKey, used),
  )
  const reader = stack.use(DataDir.openForReading(databaseFile))
  const state = reader
    .prepare(
      `SELECT hash_seed, commits, (SELECT COALESCE(MAX(seq), 0) FROM (${RECORDED_POSITIONS})) AS last
       FROM log_position`,
    )
    .get()!
  const open = stack.move()
  return {
    // The seed is random for each file, and each write is numbered.
    identity: `${String(state['hash_seed'])}.${String(state['commits'])}`,
    lastPosition: Number(state['last']),
    keys: box.keys,
    receiptKey: readIfExists(join(dataDir, KEY_FILES.receipts)),
    rows: (select, ...values) => reader.prepare(select).iterate(...values) as Iterable<StoredRow>,
    // The checksum excludes anonymousId, a column of the other engine.
    eventOf: ({ anonymous_id: _, ...row }) => readableEventOf(row),
    open: (sealed, label) => openedText(box, sealed, label),
    [Symbol.dispose]: () => open.dispose(),
  }
}

function refuseMissing(dataDir: string): string {
  const file = join(dataDir, DATABASE_NAME)
  if (!existsSync(file)) throw new UnusableDatabaseError(`${dataDir} has no database.`)
  return file
}

function schemaOf(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true })
  return schemaVersion(db)
}

/**
 * Why a database cannot be restored: it is missing, not Hookline's, newer than this version, or corrupted. Empty if it can be.
 * Reads the whole file.
 */
export function corruptionsOf(file: string): readonly string[] {
  if (!existsSync(file)) return ['File not found.']
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    const version = schemaVersion(db)
    const latest = MIGRATIONS.at(-1)!.version
    if (version === 0) return ['Not a Hookline database.']
    if (version > latest)
      return [
        `It has schema ${version}, but this version of Hookline only supports schemas up to ${latest}.`,
      ]
    const rows = db.prepare('PRAGMA quick_check(10)').all()
    return rows.map((row) => String(row['quick_check'])).filter((text) => text !== 'ok')
  } catch (error) {
    return [(error as Error).message]
  }
}

interface RecordedCorruption {
  readonly foundAt: string
  readonly description: string
}

/** Losses found at startup at or after `since` (milliseconds since the epoch), newest first. */
export function recordedCorruptions(file: string, since: number): readonly RecordedCorruption[] {
  using db = new DatabaseSync(file, { readOnly: true })
  if (!hasTable(db, 'corruptions')) return []
  return db
    .prepare('SELECT * FROM corruptions WHERE found_at >= ? ORDER BY found_at DESC, rowid DESC')
    .all(since)
    .map((row) => ({
      foundAt: new Date(Number(row['found_at'])).toISOString(),
      description: String(row['description']),
    }))
}

/** Copies the previous database, because a rename would lose its write-ahead log. */
async function keepPrevious(databaseFile: string, previous: string): Promise<void> {
  const wal = `${databaseFile}-wal`
  await copyDatabase(databaseFile, previous).catch(async (error: unknown) => {
    if (!isCorruption(error)) throw error
    // SQLite cannot read it, so its bytes are copied for later analysis.
    await rm(`${previous}-wal`, { force: true })
    await copyFile(databaseFile, previous)
    if (existsSync(wal)) await copyFile(wal, `${previous}-wal`)
  })
  for (const file of [wal, `${databaseFile}-shm`]) await rm(file, { force: true })
  // After a power cut, the old write-ahead log must not be beside the restored database.
  await syncFolder(dirname(databaseFile))
}
