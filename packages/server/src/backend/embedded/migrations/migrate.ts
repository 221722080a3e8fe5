import { closeSync, globSync, openSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Migration } from './migrations.ts'

/** The database was written by a newer Hookline than this one. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/** @throws {SchemaTooNew} where the database has steps that are not among `migrations` */
export function refuseNewer(
  db: DatabaseSync,
  file: string,
  migrations: readonly Migration[],
): void {
  const latest = migrations.at(-1)?.version ?? 0
  const current = schemaVersion(db)
  if (current <= latest) return
  throw new SchemaTooNew(
    `${file} has schema ${current}, but this version of Hookline knows only up to ${latest}. ` +
      'Start the newer version again, or restore the copy that was made before migrating.',
  )
}

/**
 * Brings the schema up to date, each step in a transaction of its own. Before a database that holds
 * data is changed, a copy of it is put beside it, in place of one that an earlier migration made.
 * @returns the file of the copy, where one was made
 * @throws {SchemaTooNew} leaving the file as it is
 */
export function migrate(
  db: DatabaseSync,
  file: string,
  migrations: readonly Migration[],
): string | undefined {
  refuseNewer(db, file, migrations)
  const current = schemaVersion(db)
  const due = migrations.filter(({ version }) => version > current)
  const copy = due.length > 0 && current > 0 ? copyBefore(db, file, current) : undefined
  for (const migration of due) takeStep(db, migration)
  if (copy !== undefined) for (const each of copiesOf(file)) if (each !== copy) rmSync(each)
  return copy
}

function takeStep(db: DatabaseSync, { version, sql }: Migration): void {
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`)
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

/**
 * Removes the copies that migrations put beside the database, of those made before a time alone where one
 * is given, in milliseconds since the epoch: they have what was deleted since.
 */
export function removeCopies(file: string, { madeBefore = Infinity } = {}): void {
  for (const copy of copiesOf(file)) {
    if (statSync(copy).mtimeMs < madeBefore) rmSync(copy, { force: true })
  }
}

function copiesOf(file: string): string[] {
  const copies = globSync(`${basename(file)}.schema-*.backup`, { cwd: dirname(file) })
  return copies.map((copy) => join(dirname(file), copy))
}

function copyBefore(db: DatabaseSync, file: string, version: number): string {
  const copy = `${file}.schema-${version}.backup`
  // One of an attempt that failed; SQLite writes over no file but an empty one, which is owner-only from the start.
  rmSync(copy, { force: true })
  closeSync(openSync(copy, 'wx', 0o600))
  db.prepare('VACUUM INTO ?').run(copy)
  return copy
}
