import { sql, type Transaction } from 'kysely'
import type { StoppedData } from '../../stopped-data.ts'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { ClusterInUse, ClusterNotEmpty } from './move-faults.ts'
import { moveOf, type StoredMove } from './move-progress.ts'
import { MOVED_EVENTS } from './moved-events.ts'
import { MOVED_TABLES } from './moved-tables.ts'

/** What a node makes by itself in an empty database. */
const MADE_BY_NODES = ['cursors']
const LOOKED_AT = [MOVED_EVENTS, ...MOVED_TABLES, { into: 'outbox' }, { into: 'own_keys' }]
  .map(({ into }) => into)
  .filter((table) => !MADE_BY_NODES.includes(table))

/** What the move of this data came to, where it is finished; else `undefined`. */
export async function finishedReport(
  postgres: Postgres,
  { identity }: StoppedData,
): Promise<string | undefined> {
  const move = await postgres.write(moveOf)
  return move?.identity === identity ? (move.report ?? undefined) : undefined
}

/**
 * Begins the move, or goes on with that of the same data. Nodes start again when it is finished.
 * @throws {ClusterInUse} where a node runs
 * @throws {ClusterNotEmpty} where the cluster has data that this move has not put there
 */
export function beginMove(postgres: Postgres, { identity }: StoppedData): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    const before = await moveOf(transaction)
    await refuseNodes(transaction)
    if (before?.identity === identity) return
    if (before !== undefined) throw otherMove(before)
    for (const table of new Set(LOOKED_AT)) await refuseRows(transaction, table)
    await sql`INSERT INTO data_move (only_row, identity) VALUES (true, ${identity})`.execute(
      transaction,
    )
    for (const table of MADE_BY_NODES) await sql`DELETE FROM ${sql.id(table)}`.execute(transaction)
  })
}

function otherMove({ finishedAt }: StoredMove): ClusterNotEmpty {
  return new ClusterNotEmpty(
    finishedAt === null
      ? 'The data of another folder is being moved into this cluster, or this folder has changed since the move began: a service ' +
          'has written to it. Drop the schema `hookline` of the database to begin again.'
      : `The data of another folder was moved into this cluster at ${finishedAt.toISOString()}. Give an empty database.`,
  )
}

async function refuseNodes(transaction: Transaction<unknown>): Promise<void> {
  const { rows } = await sql<{ readonly nodes: number }>`
    SELECT count(*) AS nodes FROM claiming_nodes WHERE until > clock_timestamp()`.execute(
    transaction,
  )
  const nodes = rows[0]?.nodes ?? 0
  if (nodes === 0) return
  throw new ClusterInUse(
    `${nodes === 1 ? 'A node of the cluster runs' : `${nodes} nodes of the cluster run`}. Stop all nodes first; one that was killed ` +
      'counts for 20 s.',
  )
}

async function refuseRows(transaction: Transaction<unknown>, table: string): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM ${sql.id(table)} LIMIT 1`.execute(transaction)
  if (rows.length === 0) return
  throw new ClusterNotEmpty(
    `The cluster has data already: its table ${table} is not empty. Give an empty database (--database-url), or drop the schema ` +
      '`hookline` of this one.',
  )
}
