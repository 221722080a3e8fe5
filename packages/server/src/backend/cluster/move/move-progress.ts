import { sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import type { MovedTable, MoveOptions } from './moved-tables.ts'

/** The cluster already has data, from its nodes or from another service. */
export class ClusterNotEmptyError extends Error {
  override readonly name = 'ClusterNotEmptyError'
}

export class ClusterInUseError extends Error {
  override readonly name = 'ClusterInUseError'
}

export class MoveUnfinishedError extends Error {
  override readonly name = 'MoveUnfinishedError'
}

/** @throws {MoveUnfinishedError} while data is being moved into this cluster */
export function refuseUnfinishedMove(postgres: Postgres): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    if ((await moveIn(transaction))?.isFinished ?? true) return
    throw new MoveUnfinishedError(
      'A data migration into this cluster has not finished. Run `hookline migrate-data` again. To abandon it, drop the ' +
        '`hookline` schema of the database.',
    )
  })
}

interface StoredMove {
  readonly identity: string
  readonly isFinished: boolean
}

async function moveIn(transaction: Transaction<unknown>): Promise<StoredMove | undefined> {
  const { rows } = await sql<StoredMove>`
    SELECT identity, finished_at IS NOT NULL AS "isFinished" FROM data_move`.execute(transaction)
  return rows[0]
}

/** A node fills this table when it starts on an empty database. */
const FILLED_BY_NODES = 'cursors'

/** Begins a move, or continues an interrupted one of the same data. @throws {ClusterInUseError | ClusterNotEmptyError} */
export function beginMove(
  { postgres, data: { identity }, checkLog }: MoveOptions,
  tables: readonly MovedTable[],
): Promise<StoredMove> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    const before = await moveIn(transaction)
    if (before?.identity === identity && before.isFinished) return before
    const { rows: running } = await sql`
      SELECT FROM claiming_nodes WHERE until > clock_timestamp()`.execute(transaction)
    if (running.length > 0)
      throw new ClusterInUseError(
        `Nodes of the cluster are running: ${running.length}. Stop all of them first. A killed node counts as running for 20 s.`,
      )
    await checkLog()
    if (before?.identity === identity) return before
    if (before !== undefined)
      throw new ClusterNotEmptyError(
        'The data of another folder was moved into this cluster, or a service has written to this folder since the move began. Use an ' +
          'empty database, or drop the `hookline` schema of this one.',
      )
    for (const { name } of [...tables, { name: 'own_keys' }])
      if (name !== FILLED_BY_NODES) await refuseRows(transaction, name)
    await sql`DELETE FROM ${sql.id(FILLED_BY_NODES)}`.execute(transaction)
    await sql`INSERT INTO data_move (only_row, identity) VALUES (true, ${identity})`.execute(
      transaction,
    )
    return { identity, isFinished: false }
  })
}

async function refuseRows(transaction: Transaction<unknown>, table: string): Promise<void> {
  const { rows } = await sql`SELECT FROM ${sql.id(table)} LIMIT 1`.execute(transaction)
  if (rows.length === 0) return
  throw new ClusterNotEmptyError(
    `The cluster already has data: its table ${table} is not empty. Use an empty database (--database-url), or drop the ` +
      '`hookline` schema of this one.',
  )
}

/** Sets each sequence and state to continue after the moved rows, and lets nodes start. */
export function finishMove(
  { postgres, data, box }: MoveOptions,
  tables: readonly MovedTable[],
): Promise<void> {
  const [profiles] = data.rows('SELECT purges, identities FROM profiles_state')
  return postgres.write(async (transaction) => {
    await sql`UPDATE archive SET seq = ${data.lastPosition}`.execute(transaction)
    await sql`UPDATE profiles_state SET purges = ${profiles!['purges']}, identities = ${profiles!['identities']}`.execute(
      transaction,
    )
    await sql`INSERT INTO changes AS known
      SELECT 'catalog', max(number) FROM catalog HAVING count(*) > 0
      UNION ALL SELECT 'key-uses', max(number) FROM key_uses HAVING count(*) > 0
      ON CONFLICT (kind) DO UPDATE SET number = greatest(known.number, excluded.number)`.execute(
      transaction,
    )
    for (const { name: table, from, columns } of tables)
      for (const { name } of columns.filter(({ isIdentity }) => isIdentity)) {
        // From SQLite, because the numbers of deleted rows must not be reused.
        const [stored] = data.rows('SELECT seq FROM sqlite_sequence WHERE name = ?', from)
        await sql`SELECT setval(pg_get_serial_sequence(${table}, ${name}), last) FROM (
          SELECT greatest(max(${sql.id(name)}), ${stored?.['seq'] ?? 0}::bigint) AS last FROM ${sql.id(table)}) AS numbers
          WHERE last > 0`.execute(transaction)
      }
    if (data.receiptKey !== undefined)
      await sql`INSERT INTO own_keys
        VALUES ('receipts', ${box.seal(data.receiptKey, 'receipts')})`.execute(transaction)
    await sql`UPDATE data_move SET finished_at = now()`.execute(transaction)
  })
}
