import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { copyDatabase } from '../database/copy-database.ts'
import { DataDir } from '../database/data-dir.ts'
import { MIGRATIONS } from '../migrations/migrations.ts'

/** The file is no database of Hookline, is damaged, or stands where it must not. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
}

/** Copies the database of a stopped service to `file`. @throws {DataDirInUse} where one runs on the folder */
export async function backUpStopped(dataDir: string, file: string): Promise<void> {
  using folder = new DataDir(dataDir)
  if (!existsSync(folder.databaseFile)) throw new UnusableDatabase(`${dataDir} holds no database.`)
  await copyDatabase(folder.databaseFile, file)
}

/**
 * Puts a backup into a data folder. A database that is there is refused, or with `replace` kept beside the
 * new one.
 * @returns where the one of before is kept
 * @throws {UnusableDatabase} with the reason; nothing is changed then
 * @throws {DataDirInUse}
 */
export async function restoreInto(
  dataDir: string,
  file: string,
  { replace }: { readonly replace: boolean },
): Promise<string | undefined> {
  const [damage] = damageOf(file)
  if (damage !== undefined) throw new UnusableDatabase(`${file} cannot be restored: ${damage}`)
  using folder = new DataDir(dataDir)
  const { databaseFile } = folder
  const isThere = existsSync(databaseFile)
  if (isThere && !replace) {
    throw new UnusableDatabase(
      `${dataDir} holds a database already. Restore into another folder, or give --replace to keep that one beside it.`,
    )
  }
  await copyDatabase(file, `${databaseFile}.restored`)
  const before = `${databaseFile}.before-restore`
  if (isThere) await setAside(databaseFile, before)
  await rename(`${databaseFile}.restored`, databaseFile)
  return isThere ? before : undefined
}

/** What is wrong with a database, in words; nothing where it is whole. Reads all of it. */
export function damageOf(file: string): readonly string[] {
  if (!existsSync(file)) return ['There is no such file.']
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
    const latest = MIGRATIONS.at(-1)!.version
    if (version === 0) return ['It is no database of Hookline.']
    if (version > latest)
      return [`It has schema ${version}; this version knows only up to ${latest}.`]
    const found = db.prepare('PRAGMA quick_check(10)').all()
    return found.map((row) => String(row['quick_check'])).filter((text) => text !== 'ok')
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Copied, not renamed: what its write-ahead log holds comes along. */
async function setAside(databaseFile: string, before: string): Promise<void> {
  await copyDatabase(databaseFile, before)
  for (const suffix of ['-wal', '-shm']) await rm(databaseFile + suffix, { force: true })
}
