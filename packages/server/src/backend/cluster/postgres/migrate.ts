import { sql, type Transaction } from 'kysely'
import { lock } from './locks.ts'
import { MIGRATIONS, type Migration } from './migrations/migrations.ts'
import type { Postgres } from './postgres.ts'

/** A newer version of Hookline has migrated the database. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/**
 * Brings the schema up to date, all steps in one transaction. Nodes that start together take turns.
 * @throws {SchemaTooNew} and leaves the database as it is
 */
export function migrate(
  postgres: Postgres,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    const schema = sql.id(postgres.schema)
    await sql`CREATE SCHEMA IF NOT EXISTS ${schema}`.execute(transaction)
    await sql`CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL)`.execute(transaction)
    const current = await versionOf(transaction)
    const latest = migrations.at(-1)?.version ?? 0
    if (current > latest) throw tooNew(current, latest)
    for (const step of migrations.slice(current)) await sql.raw(step.sql).execute(transaction)
    await sql`DELETE FROM schema_version`.execute(transaction)
    await sql`INSERT INTO schema_version VALUES (${latest})`.execute(transaction)
  })
}

async function versionOf(transaction: Transaction<unknown>): Promise<number> {
  const { rows } = await sql<{
    readonly version: number
  }>`SELECT version FROM schema_version`.execute(transaction)
  return rows[0]?.version ?? 0
}

function tooNew(current: number, latest: number): SchemaTooNew {
  return new SchemaTooNew(
    `The database has schema ${current}, but this version of Hookline knows only up to ${latest}. ` +
      'Start the newer version again, or restore a backup from before the upgrade.',
  )
}
