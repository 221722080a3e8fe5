import { closeSync, globSync, openSync, rmSync, statSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

export interface Migration {
  /** `PRAGMA user_version` after the step, from 1 without gaps. */
  readonly version: number
  readonly sql: string
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: readFileSync(new URL('schema.sql', import.meta.url), 'utf8') },
]

export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError'
}

/** @throws {SchemaTooNewError} if the schema is newer than `migrations` */
export function refuseNewer(
  db: DatabaseSync,
  file: string,
  migrations: readonly Migration[],
): void {
  const latest = migrations.at(-1)?.version ?? 0
  const current = schemaVersion(db)
  if (current <= latest) return
  throw new SchemaTooNewError(
    `${file} has schema ${current}, but this version of Hookline only supports schemas up to ${latest}. ` +
      'Start the newer version again, or restore the copy that was made before migrating.',
  )
}

/**
 * Runs the missing steps: each in its own transaction, or all in one on a new database. Copies an
 * existing database first.
 * @returns the copy
 * @throws {SchemaTooNewError}
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
  const transactions = current === 0 ? [due] : due.map((step) => [step])
  for (const steps of transactions) takeSteps(db, steps)
  if (copy !== undefined)
    for (const each of siblingFiles(file, SCHEMA_COPIES)) if (each !== copy) rmSync(each)
  return copy
}

function takeSteps(db: DatabaseSync, steps: readonly Migration[]): void {
  const sql = steps.map((step) => `${step.sql}; PRAGMA user_version = ${step.version};`)
  try {
    db.exec(`BEGIN IMMEDIATE; ${sql.join('\n')} COMMIT`)
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

export function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

const SCHEMA_COPIES = 'schema-*.backup'
const COPIES = `{${SCHEMA_COPIES},{corrupted,before-restore,restored,rebuilt}{,.partial}{,-wal,-shm,-journal}}`

/**
 * Removes copies made by migrations, rebuilds and restores, because they contain deleted data.
 * `madeBefore` is in milliseconds since the epoch.
 */
export function removeCopies(file: string, { madeBefore = Infinity } = {}): void {
  for (const copy of siblingFiles(file, COPIES)) {
    if (statSync(copy).mtimeMs < madeBefore) rmSync(copy, { force: true })
  }
}

function siblingFiles(file: string, end: string): string[] {
  const cwd = dirname(file)
  return globSync(`${basename(file)}.${end}`, { cwd }).map((name) => join(cwd, name))
}

function copyBefore(db: DatabaseSync, file: string, version: number): string {
  const copy = `${file}.schema-${version}.backup`
  // A failed migration may have left a copy. VACUUM INTO accepts an empty file, so the copy has the right mode from the start.
  rmSync(copy, { force: true })
  closeSync(openSync(copy, 'wx', 0o600))
  db.prepare('VACUUM INTO ?').run(copy)
  return copy
}
