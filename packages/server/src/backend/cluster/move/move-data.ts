import { sql } from 'kysely'
import { createHash } from 'node:crypto'
import { ByteBudget } from '../../../util/limits/byte-budget.ts'
import { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { StoppedData, StoredRow } from '../../stopped-data.ts'
import { checkServer } from '../check-servers.ts'
import { checkEncryptionKey, sealAgain } from '../encryption/encryption-key.ts'
import { openLogOf } from '../installation.ts'
import type { JetStreamLog } from '../jetstream/jetstream-log.ts'
import { NatsLink } from '../jetstream/nats-link.ts'
import type { ClusterOptions } from '../open.ts'
import { migrate } from '../postgres/migrate.ts'
import { Postgres } from '../postgres/postgres.ts'
import { beginMove, ClusterNotEmpty, finishMove } from './move-progress.ts'
import { type MovedTable, movedTables, type MoveOptions, type Value } from './moved-tables.ts'

/** A table of the cluster differs from the file. */
class MoveDiffers extends Error {
  override readonly name = 'MoveDiffers'
}

/** The number of rows, and a sum of their hashes, which does not depend on their order. */
interface Digest {
  readonly rows: number
  readonly digest: string
}

export interface MoveReport {
  /** `from`: the copied rows in the file. `to`: the rows in the cluster. */
  readonly tables: readonly { readonly table: string; readonly from: Digest; readonly to: Digest }[]
  /** Ids of events whose checksum does not match: they stay in the file. At most 100. */
  readonly damagedEvents: readonly string[]
  /** Events that wait for the pipeline, but that an unfinished purge is about to remove. */
  readonly coveredEvents: number
}

/**
 * Moves the data of a stopped service into a cluster that is empty, or that an earlier call has begun to move it into.
 * @throws what `moveData` throws
 * @throws {ConnectionRefused | StreamMismatch} as a node
 * @throws {EncryptionKeyMismatch} where the cluster has another key
 */
export async function moveIntoCluster(
  options: ClusterOptions,
  data: StoppedData,
  onMoved: (table: string) => void,
): Promise<MoveReport> {
  await using stack = new AsyncDisposableStack()
  const keys = SecretBox.keysIn(options.encryptionKey.reveal())
  if (keys === undefined) throw new TypeError('HOOKLINE_ENCRYPTION_KEY has no key.')
  const postgres = stack.use(new Postgres({ url: options.databaseUrl }))
  await checkServer(postgres)
  await migrate(postgres)
  const box = new SecretBox(keys)
  await checkEncryptionKey(postgres, box)
  const nats = stack.use(await NatsLink.open({ url: options.natsUrl, ...options.natsSecurity }))
  const { natsPrefix: prefix, natsReplicas: replicas } = options
  const log = stack.use(
    await openLogOf(postgres, nats, { prefix, replicas, waiting: new ByteBudget(0) }),
  )
  return await moveData({
    postgres,
    box,
    data,
    maxPayloadBytes: nats.maxPayloadBytes,
    checkLog: () => refuseEntries(log, data),
    onMoved,
  })
}

async function refuseEntries(log: JetStreamLog, { lastPosition }: StoppedData): Promise<void> {
  const { bytes } = await log.state()
  // A purge goes by positions: what is moved has to come before all that is appended later.
  if (bytes === 0 && (await log.lastPosition()) > lastPosition) return
  throw new ClusterNotEmpty(
    "The stream of the log is not empty, or it was made before 2026 by its server's clock. Remove the stream, or choose another " +
      'prefix (--nats-prefix).',
  )
}

/** A slice ends with the row that reaches one of them. */
const SLICE_ROWS = 500
const SLICE_BYTES = 512 * 1024
const MAX_DAMAGED = 100
const DIGEST_BYTES = 16

/**
 * Moves all data of a stopped service into an empty cluster, slice by slice. An interrupted move continues after its last slice.
 *
 *     begin ─▶ copy ─▶ compare ─▶ seal with the key of the cluster ─▶ finish ─▶ nodes may start
 *
 * @throws {ClusterNotEmpty | ClusterInUse} and changes nothing
 * @throws {EventTooLarge} and continues when it is called again
 * @throws {MoveDiffers} if a table of the cluster differs from the file
 */
export async function moveData(options: MoveOptions): Promise<MoveReport> {
  const { postgres, data, box } = options
  const tables = await movedTables(options)
  const move = await beginMove(options, tables)
  let { report } = move
  if (report === null) {
    for (const table of tables) await copyTable(options, table)
    report = JSON.stringify(await compareTables(options, tables))
    await postgres.run(sql`UPDATE data_move SET report = ${report}`)
  }
  if (move.finishedAt === null) {
    await sealAgain(postgres, new SecretBox([...box.keys, ...data.keys]))
    await finishMove(options, tables)
  }
  return JSON.parse(report) as MoveReport
}

/** Copies the rows that are not in the cluster yet. Each slice is one transaction with its place, where a later call continues. */
async function copyTable({ postgres, onMoved }: MoveOptions, table: MovedTable): Promise<void> {
  const { name } = table
  const [progress] = await postgres.run(
    sql<{ readonly place: string | null; readonly isDone: boolean }>`
      SELECT place, is_done AS "isDone" FROM moved_tables WHERE name = ${name}`,
  )
  const slices = progress?.isDone ? [] : slicesOf(table.rows(progress?.place ?? null))
  for (const { rows, isLast } of slices)
    await postgres.write(async (transaction) => {
      const place = isLast ? null : table.placeOf(rows.at(-1)!)
      await table.insert(transaction, rows)
      await sql`INSERT INTO moved_tables VALUES (${name}, ${place}, ${isLast})
        ON CONFLICT (name) DO UPDATE SET place = excluded.place, is_done = excluded.is_done`.execute(
        transaction,
      )
    })
  onMoved?.(name)
}

/** The last slice may be empty. */
function* slicesOf(all: Iterable<StoredRow>) {
  let rows: StoredRow[] = []
  let bytes = 0
  for (const each of all) {
    if (rows.length === SLICE_ROWS || bytes >= SLICE_BYTES) {
      yield { rows, isLast: false }
      rows = []
      bytes = 0
    }
    rows.push(each)
    for (const value of Object.values(each))
      bytes += value === null || typeof value === 'number' ? 8 : value.length
  }
  yield { rows, isLast: true }
}

/** Reads all rows once more, in the file and in the cluster. @throws {MoveDiffers} */
async function compareTables(
  { data }: MoveOptions,
  tables: readonly MovedTable[],
): Promise<MoveReport> {
  const compared: MoveReport['tables'][number][] = []
  const damagedEvents: string[] = []
  let coveredEvents = 0
  for (const table of tables) {
    const [from, to] = [new RowDigest(), new RowDigest()]
    for (const row of table.rows(null)) {
      const values = table.valuesOf(row)
      if (values !== undefined) from.add(values)
      else if (data.eventOf(row) !== undefined) coveredEvents++
      else if (table.name === 'events' && damagedEvents.length < MAX_DAMAGED)
        damagedEvents.push(String(row['id']))
    }
    await table.copied((values) => to.add(values))
    compared.push({ table: table.name, from: from.value, to: to.value })
  }
  const different = compared
    .filter(({ from, to }) => from.digest !== to.digest || from.rows !== to.rows)
    .map(({ table, from, to }) => `${table} (${from.rows} rows, ${to.rows} in the cluster)`)
  if (different.length === 0) return { tables: compared, damagedEvents, coveredEvents }
  throw new MoveDiffers(
    `The cluster differs from the folder in ${different.join('; ')}. Drop the schema \`hookline\` of the database, and begin again.`,
  )
}

class RowDigest {
  #rows = 0
  #sum = 0n

  add(values: readonly Value[]): void {
    const hash = createHash('sha256')
    hash.update(JSON.stringify(values.map((each) => (Buffer.isBuffer(each) ? each.length : each))))
    for (const each of values) if (Buffer.isBuffer(each)) hash.update(each)
    const bytes = hash.digest('hex').slice(0, 2 * DIGEST_BYTES)
    this.#sum = BigInt.asUintN(8 * DIGEST_BYTES, this.#sum + BigInt(`0x${bytes}`))
    this.#rows++
  }

  get value(): Digest {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(2 * DIGEST_BYTES, '0') }
  }
}
