import { sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { MOVED_CHANGE, type MovedTable, type MoveOptions } from './moved-tables.ts'

/** The cluster has data already, from its nodes or from another service. */
export class ClusterNotEmpty extends Error {
  override readonly name = 'ClusterNotEmpty'
}

/** Nodes of the cluster run while data is to be moved into it. */
export class ClusterInUse extends Error {
  override readonly name = 'ClusterInUse'
}

/** Data is being moved into the cluster, or the move was cut off. */
export class MoveUnfinished extends Error {
  override readonly name = 'MoveUnfinished'
}

/** A row of `data_move`. */
interface StoredMove {
  readonly identity: string
  readonly finishedAt: Date | null
  /** JSON; `null` until all rows are copied and compared. */
  readonly report: string | null
}

/** A node fills this table when it starts on an empty database. */
const MADE_BY_NODES = 'cursors'

/**
 * Begins the move, or continues an interrupted one of the same data. No node starts until it is finished.
 * @throws {ClusterInUse} if a node runs
 * @throws {ClusterNotEmpty} if the cluster has data that this move has not copied
 */
export function beginMove(
  { postgres, data: { identity }, checkLog }: MoveOptions,
  tables: readonly MovedTable[],
): Promise<StoredMove> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    const before = await moveOf(transaction)
    const isSame = before?.identity === identity
    if (isSame && before.finishedAt !== null) return before
    await refuseNodes(transaction)
    await checkLog()
    if (isSame) return before
    if (before !== undefined) throw otherMove(before)
    for (const { name } of [...tables, { name: 'own_keys' }])
      if (name !== MADE_BY_NODES) await refuseRows(transaction, name)
    await sql`INSERT INTO data_move (only_row, identity) VALUES (true, ${identity})`.execute(
      transaction,
    )
    await sql`DELETE FROM ${sql.id(MADE_BY_NODES)}`.execute(transaction)
    return { identity, finishedAt: null, report: null }
  })
}

/** Lets all numbers continue after the copied ones, and nodes start. */
export function finishMove(
  { postgres, data, box }: MoveOptions,
  tables: readonly MovedTable[],
): Promise<void> {
  const [profiles] = data.rows('SELECT purges, identities FROM profiles_state')
  // The last number, also if its row is gone and the table uses no number twice.
  const lastOf = (table: string, column: string): number => {
    const select = `SELECT max(ifnull((SELECT max(${column}) FROM ${table}), 0),
      ifnull((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)) AS last`
    return Number([...data.rows(select, table)][0]!['last'])
  }
  const numbers = new Map<string, number>()
  for (const { name: table, from, columns } of tables)
    for (const { name } of columns.filter(({ isIdentity }) => isIdentity))
      numbers.set(`${table}_${name}_seq`, lastOf(from, name))
  return postgres.write(async (transaction) => {
    await sql`UPDATE archive SET seq = ${data.lastPosition}`.execute(transaction)
    await sql`UPDATE profiles_state SET purges = ${profiles!['purges']}, identities = ${profiles!['identities']}`.execute(
      transaction,
    )
    await sql`INSERT INTO changes SELECT unnest(ARRAY['catalog', 'key-uses']), ${MOVED_CHANGE}::bigint
      ON CONFLICT DO NOTHING`.execute(transaction)
    for (const [sequence, last] of numbers)
      if (last > 0) await sql`SELECT setval(${sequence}, ${last}::bigint)`.execute(transaction)
    if (data.receiptKey !== undefined)
      await sql`INSERT INTO own_keys
        VALUES ('receipts', ${box.seal(data.receiptKey, 'receipts')})`.execute(transaction)
    await sql`UPDATE data_move SET finished_at = now()`.execute(transaction)
    await sql`DELETE FROM moved_tables`.execute(transaction)
  })
}

/** @throws {MoveUnfinished} while data is being moved into this cluster */
export function refuseUnfinishedMove(postgres: Postgres): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    const move = await moveOf(transaction)
    if (move === undefined || move.finishedAt !== null) return
    throw new MoveUnfinished(
      'Data of another service is being moved into this cluster, and not all of it is there. Run `hookline migrate-data` again ' +
        'until it reports that all is moved. To abandon the move, drop the schema `hookline` of the database.',
    )
  })
}

async function moveOf(transaction: Transaction<unknown>): Promise<StoredMove | undefined> {
  const { rows } = await sql<StoredMove>`
    SELECT identity, finished_at AS "finishedAt", report FROM data_move`.execute(transaction)
  return rows[0]
}

function otherMove({ finishedAt }: StoredMove): ClusterNotEmpty {
  return new ClusterNotEmpty(
    finishedAt === null
      ? 'The data of another folder is being moved into this cluster, or a service has written to this folder since the move ' +
          'began. Drop the schema `hookline` of the database to begin again.'
      : `The data of another folder was moved into this cluster at ${finishedAt.toISOString()}. Give an empty database.`,
  )
}

async function refuseNodes(transaction: Transaction<unknown>): Promise<void> {
  const { rows } = await sql`
    SELECT FROM claiming_nodes WHERE until > clock_timestamp()`.execute(transaction)
  if (rows.length === 0) return
  const running =
    rows.length === 1 ? 'A node of the cluster runs' : `${rows.length} nodes of the cluster run`
  throw new ClusterInUse(`${running}. Stop all nodes first; one that was killed counts for 20 s.`)
}

async function refuseRows(transaction: Transaction<unknown>, table: string): Promise<void> {
  const { rows } = await sql`SELECT FROM ${sql.id(table)} LIMIT 1`.execute(transaction)
  if (rows.length === 0) return
  throw new ClusterNotEmpty(
    `The cluster has data already: its table ${table} is not empty. Give an empty database (--database-url), or drop the schema ` +
      '`hookline` of this one.',
  )
}
