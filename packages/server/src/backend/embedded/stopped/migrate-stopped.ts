import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_NAME } from '../database/data-dir.ts'
import { type EmbeddedOptions, openEmbeddedBackend } from '../open.ts'
import { UnusableDatabase } from './stopped-database.ts'

/**
 * Migrates the database of a stopped service, as its next start would. The start of a service with a large database is
 * then quick. Returns the version of the schema before and after.
 * @throws {UnusableDatabase} where there is no database; otherwise what `openEmbeddedBackend` throws
 */
export async function migrateStopped(
  options: EmbeddedOptions,
): Promise<{ readonly from: number; readonly to: number }> {
  const file = join(options.dataDir, DATABASE_NAME)
  if (!existsSync(file)) throw new UnusableDatabase(`${options.dataDir} has no database.`)
  const from = schemaOf(file)
  await using _opened = await openEmbeddedBackend(options)
  return { from, to: schemaOf(file) }
}

function schemaOf(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true })
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}
