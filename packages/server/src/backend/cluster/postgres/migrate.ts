import { sql, type Transaction } from 'kysely'
import { readFileSync } from 'node:fs'
import { countText } from '../../../util/count-text.ts'
import { lock } from './locks.ts'
import { type Postgres, SCHEMA } from './postgres.ts'

/** One schema step. A released step never changes. */
export interface Migration {
  readonly version: number
  readonly sql: string
  /**
   * The oldest schema version whose nodes also run on this one, if the step only adds optional
   * things. Defaults to `version`.
   */
  readonly worksFrom?: number
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: readFileSync(new URL('schema.sql', import.meta.url), 'utf8') },
]

/** A newer version of Hookline has migrated the database to an incompatible schema. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError'
}

/** Nodes are running that a schema step would break. */
export class IncompatibleNodesError extends Error {
  override readonly name = 'IncompatibleNodesError'
}

interface StoredSchema {
  readonly version: number
  /** The oldest version of nodes that run on it. */
  readonly worksFrom: number
}

/** The version of nodes with these steps. */
export function latestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

/** Runs all missing steps in one transaction. @throws {SchemaTooNewError | IncompatibleNodesError} without changing the database */
export function migrate(
  postgres: Postgres,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    await sql`
      CREATE SCHEMA IF NOT EXISTS ${sql.id(SCHEMA)};
      CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL, works_from int NOT NULL)`.execute(
      transaction,
    )
    const current = await refuseNewer(transaction, migrations)
    const due = migrations.filter(({ version }) => version > current.version)
    if (due.length > 0) await runSteps(transaction, due, current)
  })
}

/** Checks again after the node has registered: from then on, other nodes respect its version. @throws {SchemaTooNewError} */
export function confirmSchema(
  postgres: Postgres,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    await refuseNewer(transaction, migrations)
  })
}

async function refuseNewer(
  transaction: Transaction<unknown>,
  migrations: readonly Migration[],
): Promise<StoredSchema> {
  const { rows } = await sql<StoredSchema>`
    SELECT version, works_from AS "worksFrom" FROM schema_version`.execute(transaction)
  const current = rows[0] ?? { version: 0, worksFrom: 0 }
  const latest = latestOf(migrations)
  if (current.version <= latest || current.worksFrom <= latest) return current
  throw new SchemaTooNewError(
    `The database has schema ${current.version}, which requires nodes with schema ${current.worksFrom} or later. This version of Hookline ` +
      `has schema ${latest}. Start the newer version again, or restore a backup from before the upgrade.`,
  )
}

async function runSteps(
  transaction: Transaction<unknown>,
  due: readonly Migration[],
  current: StoredSchema,
): Promise<void> {
  const version = latestOf(due)
  const worksFrom = Math.max(
    current.worksFrom,
    ...due.map((step) => step.worksFrom ?? step.version),
  )
  if (current.version > 0) await refuseOlderNodes(transaction, version, worksFrom)
  for (const step of due) await sql.raw(step.sql).execute(transaction)
  await sql`
    DELETE FROM schema_version;
    INSERT INTO schema_version VALUES (${sql.lit(version)}, ${sql.lit(worksFrom)})`.execute(
    transaction,
  )
}

async function refuseOlderNodes(
  transaction: Transaction<unknown>,
  version: number,
  worksFrom: number,
): Promise<void> {
  const { rows } = await sql<{ readonly older: number }>`
    SELECT count(*) AS older FROM claiming_nodes
    WHERE until > clock_timestamp() AND schema < ${worksFrom}`.execute(transaction)
  const { older } = rows[0]!
  if (older === 0) return
  throw new IncompatibleNodesError(
    `${countText(older, 'running node is', 'running nodes are')} too old for schema ${version}, which requires nodes with schema ${worksFrom} or later. First ` +
      'upgrade all nodes to the release before this one, or stop them all. A killed node counts as running for 20 s.',
  )
}
