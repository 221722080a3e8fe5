import { sql, type Transaction } from 'kysely'
import { readFileSync } from 'node:fs'
import { lock } from './locks.ts'
import { type Postgres, SCHEMA } from './postgres.ts'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** In their order, from 1. */
  readonly version: number
  readonly sql: string
  /**
   * The version of the schema whose nodes run on this one as well. Without it, none but those that know this step. A step that
   * only adds what others need not write names the version before it. What nobody uses any more is removed by a step of a later
   * release, which then names the version that stopped to use it.
   */
  readonly worksFrom?: number
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: readFileSync(new URL('schema.sql', import.meta.url), 'utf8') },
]

/** A newer version of Hookline has migrated the database, and this one does not run on that schema. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew'
}

/** Nodes run that a step of the schema would break. */
export class OlderNodesRun extends Error {
  override readonly name = 'OlderNodesRun'
}

/** The schema of a database. */
interface StoredSchema {
  readonly version: number
  /** Nodes of this version and of later ones run on it. */
  readonly worksFrom: number
}

/** The version that nodes with these steps know. */
export function latestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

/**
 * Brings the schema up to date, all steps in one transaction. Nodes that start together take turns. A schema that is newer stays
 * as it is: it was made for nodes of this version as well, or it is refused.
 * @throws {SchemaTooNew} and leaves the database as it is
 * @throws {OlderNodesRun} and leaves the database as it is
 */
export function migrate(
  postgres: Postgres,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    await sql`CREATE SCHEMA IF NOT EXISTS ${sql.id(SCHEMA)}`.execute(transaction)
    await sql`
      CREATE TABLE IF NOT EXISTS schema_version (version int NOT NULL, works_from int NOT NULL)`.execute(
      transaction,
    )
    const current = await refuseNewer(transaction, migrations)
    const due = migrations.filter(({ version }) => version > current.version)
    if (due.length > 0) await take(transaction, due, current)
  })
}

/**
 * Checks once more when the node has told that it runs: from then on no other one takes a step that it cannot bear.
 * @throws {SchemaTooNew}
 */
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
  const current = await schemaOf(transaction)
  const latest = latestOf(migrations)
  if (current.version <= latest || current.worksFrom <= latest) return current
  throw new SchemaTooNew(
    `The database has schema ${current.version}, which needs nodes that know at least ${current.worksFrom}, but this version of ` +
      `Hookline knows only up to ${latest}. Start the newer version again, or restore a backup from before the upgrade.`,
  )
}

async function schemaOf(transaction: Transaction<unknown>): Promise<StoredSchema> {
  const { rows } = await sql<StoredSchema>`
    SELECT version, works_from AS "worksFrom" FROM schema_version`.execute(transaction)
  return rows[0] ?? { version: 0, worksFrom: 0 }
}

async function take(
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
  await sql`DELETE FROM schema_version`.execute(transaction)
  await sql`INSERT INTO schema_version (version, works_from) VALUES (${version}, ${worksFrom})`.execute(
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
  const older = rows[0]?.older ?? 0
  if (older === 0) return
  throw new OlderNodesRun(
    `${older === 1 ? 'A node runs' : `${older} nodes run`} that would not bear schema ${version}, which needs nodes that know at ` +
      `least ${worksFrom}. Upgrade them first to the release before this one; or stop all nodes, and then start this one. A node ` +
      'that was killed counts for 20 s.',
  )
}
