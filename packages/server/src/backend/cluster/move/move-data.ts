import { sql } from 'kysely'
import { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { StoppedData, StoredRow } from '../../stopped-data.ts'
import { checkServer } from '../check-servers.ts'
import { checkEncryptionKey, reseal } from '../encryption/encryption-key.ts'
import { openLogOf } from '../installation.ts'
import { NatsLink } from '../jetstream/nats-link.ts'
import type { ClusterOptions } from '../open.ts'
import { migrate } from '../postgres/migrate.ts'
import { Postgres } from '../postgres/postgres.ts'
import { beginMove, ClusterNotEmptyError, finishMove } from './move-progress.ts'
import {
  type MovedTable,
  movedTables,
  type MoveListeners,
  type MoveOptions,
} from './moved-tables.ts'

/** A table of the cluster has a different number of rows than the file. */
class RowCountMismatchError extends Error {
  override readonly name = 'RowCountMismatchError'
}

export interface MoveReport {
  /** `rows` are in the cluster. `skipped` are only in the file: corrupted events, and events covered by an unfinished purge. */
  readonly tables: readonly {
    readonly table: string
    readonly rows: number
    readonly skipped: number
  }[]
}

/**
 * Moves the data of a stopped service into an empty cluster.
 * @throws the errors of `moveData`, {UnusableServerError | StreamMismatchError}
 * @throws {EncryptionKeyMismatchError} if the cluster has another key
 */
export async function moveIntoCluster(
  options: ClusterOptions,
  data: StoppedData,
  listeners: MoveListeners,
): Promise<MoveReport> {
  await using stack = new AsyncDisposableStack()
  const keys = SecretBox.keysIn(options.encryptionKey.reveal())
  if (keys === undefined) throw new TypeError('HOOKLINE_ENCRYPTION_KEY does not contain a key.')
  const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
  await checkServer(postgres)
  await migrate(postgres)
  const box = new SecretBox(keys)
  await checkEncryptionKey(postgres, box)
  const nats = stack.use(await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity }))
  const { natsPrefix: prefix, natsReplicas: replicas } = options
  const waiting = new ByteBudget(0)
  const log = stack.use(await openLogOf(postgres, nats, { prefix, replicas, waiting }))
  const checkLog = async (): Promise<void> => {
    const { bytes } = await log.state()
    // Purges compare positions: later events must have greater ones than the moved events.
    if (bytes === 0 && (await log.lastPosition()) > data.lastPosition) return
    throw new ClusterNotEmptyError(
      "The log stream is not empty, or was created before 2026 according to its server's clock. Remove the stream, or choose " +
        'another prefix (--nats-prefix).',
    )
  }
  const { maxPayloadBytes } = nats
  return await moveData({ postgres, box, data, maxPayloadBytes, checkLog, ...listeners })
}

/**
 * Copies all tables, slice by slice, and compares row counts. No node starts until it has finished.
 * An interrupted move continues after its last slice; a finished one only returns its report.
 * @throws {ClusterNotEmptyError | ClusterInUseError} before it changes anything
 * @throws {EventTooLargeError} a later call continues the move
 * @throws {RowCountMismatchError} if a table of the cluster has a different number of rows
 */
export async function moveData(options: MoveOptions): Promise<MoveReport> {
  const { postgres, data, box } = options
  const tables = await movedTables(options)
  const { isFinished } = await beginMove(options, tables)
  if (!isFinished) for (const table of tables) await copyTable(options, table)
  const skipped = await postgres.run(
    sql<{
      readonly name: string
      readonly skipped: number
    }>`SELECT name, skipped FROM moved_tables`,
  )
  const byName = new Map(skipped.map((row) => [row.name, row.skipped]))
  const report = tables.map(({ name, count }) => {
    const without = byName.get(name) ?? 0
    return { table: name, rows: count - without, skipped: without }
  })
  if (!isFinished) {
    await compareCounts(postgres, report)
    await reseal(postgres, new SecretBox([...box.keys, ...data.keys]))
    await finishMove(options, tables)
  }
  return { tables: report }
}

/** Each slice is one transaction that also stores its last key, where a later call continues. */
async function copyTable(options: MoveOptions, table: MovedTable): Promise<void> {
  const { postgres, onMoved, onSkipped } = options
  const { name } = table
  const [progress] = await postgres.run(
    sql<{ readonly last_key: string }>`SELECT last_key FROM moved_tables WHERE name = ${name}`,
  )
  for (const rows of slicesOf(table.rows(progress?.last_key ?? null)))
    await postgres.write(async (transaction) => {
      const skipped = await table.insert(transaction, rows)
      for (const { id } of skipped) onSkipped?.(name, String(id))
      await sql`INSERT INTO moved_tables AS moved VALUES (${name}, ${table.placeOf(rows.at(-1)!)}, ${skipped.length})
        ON CONFLICT (name) DO UPDATE SET last_key = excluded.last_key, skipped = moved.skipped + excluded.skipped`.execute(
        transaction,
      )
    })
  onMoved?.(name)
}

/** The limits of a slice, which ends with the row that reaches one of them. */
const SLICE_ROWS = 500
const SLICE_BYTES = 512 * 1024

function* slicesOf(rows: Iterable<StoredRow>): Iterable<StoredRow[]> {
  let slice: StoredRow[] = []
  let bytes = 0
  for (const row of rows) {
    slice.push(row)
    for (const value of Object.values(row))
      bytes += value === null || typeof value === 'number' ? 8 : value.length
    if (slice.length < SLICE_ROWS && bytes < SLICE_BYTES) continue
    yield slice
    slice = []
    bytes = 0
  }
  if (slice.length > 0) yield slice
}

async function compareCounts(postgres: Postgres, report: MoveReport['tables']): Promise<void> {
  for (const { table, rows: expected } of report) {
    const { rows } = await postgres.writeSlowly((transaction) =>
      sql<{ readonly count: number }>`SELECT count(*) FROM ${sql.id(table)}`.execute(transaction),
    )
    const { count } = rows[0]!
    if (count !== expected)
      throw new RowCountMismatchError(
        `The table ${table} has ${count} rows in the cluster instead of ${expected}. Drop the \`hookline\` schema of the database, ` +
          'and run the command again.',
      )
  }
}
