import { type AcceptedEvent, timeOfId } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { DeletionRequest, Subject } from '../../deletions.ts'
import type { StoppedData, StoredRow } from '../../stopped-data.ts'
import { PurgedUsers, purgedIdsOf } from '../../store/purged-users.ts'
import { storedPartsIn } from '../../store/stored-parts.ts'
import { laneHash } from '../deliveries/postgres-lanes.ts'
import { chunkOf } from '../jetstream/chunk.ts'
import { dayOf } from '../../days.ts'
import { eventChecksumOf } from '../postgres/event-rows.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { createDay } from '../upkeep/partitions.ts'

/** An unfinished event is too large for a NATS message. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError'
}

export interface MoveListeners {
  /** Called after all rows in a table have been copied. */
  readonly onMoved?: (table: string) => void
  /** Called with the id of each row that is not copied. */
  readonly onSkipped?: (table: string, id: string) => void
}

export interface MoveOptions extends MoveListeners {
  readonly postgres: Postgres
  /** The secret box of the cluster. */
  readonly box: SecretBox
  readonly data: StoppedData
  /** Maximum size of a NATS message. */
  readonly maxPayloadBytes: number
  /** Rejects if the log is not empty. */
  readonly checkLog: () => Promise<void>
}

/** Differences between a table in the file and in the cluster. */
interface TableMapping {
  /** The table in the file, if it has another name. */
  readonly from?: string
  /** Columns whose values differ in the cluster, as SQLite SQL. */
  readonly columns?: Readonly<Record<string, string>>
  /** A condition on the rows, as SQLite SQL. */
  readonly where?: string
  /** Returns values that SQL cannot compute; `undefined` skips the row. */
  readonly replace?: (row: StoredRow, options: MoveOptions) => StoredRow | undefined
}

/** Room for the headers of a NATS message. */
const HEADER_BYTES = 1024

/**
 * By table of the cluster. Other tables have the same columns in both databases, and are copied
 * unchanged.
 */
const TABLE_MAPPINGS: Readonly<Record<string, TableMapping>> = {
  // The cluster stores bodies as bytes and anonymous ids in a column; its checksum covers both.
  events: {
    columns: { log_position: 'seq', anonymous_id: 'NULL', body: 'CAST(body AS BLOB)' },
    replace(row, { data }) {
      const event = data.eventOf(row)
      const { anonymousId = null } = event ?? {}
      return event && { anonymous_id: anonymousId, checksum: eventChecksumOf(event) }
    },
  },
  // Unfinished events are processed again, unless an unfinished purge removes them.
  outbox: {
    from: 'events',
    columns: { chunk: 'NULL', body: 'CAST(body AS BLOB)' },
    where: 'seq > (SELECT acked FROM log_position)',
    replace(row, { data, maxPayloadBytes }) {
      const event = data.eventOf(row)
      if (event === undefined || isPurged(data, event, Number(row['seq']))) return undefined
      const chunk = chunkOf([event])
      if (chunk.length <= maxPayloadBytes - HEADER_BYTES) return { chunk }
      throw new EventTooLargeError(
        `The unfinished event ${event.id} is larger than a NATS message. Raise max_payload on the NATS servers, and run the ` +
          'command again.',
      )
    },
  },
  // Nodes find a lane by a keyed hash of its URL. If the URL cannot be decrypted, a placeholder key is enough:
  // no node looks for that lane.
  lanes: {
    columns: { key: `'lost ' || number` },
    replace({ destination_id: id, sealed_url: sealed }, { data, box }) {
      const [destinationId, url] = [String(id), data.open(String(sealed), String(id))]
      return url === undefined ? {} : { key: laneHash({ destinationId, url }, box.keys[0]!) }
    },
  },
  // PostgreSQL would refuse invalid JSON here. `[{}]` makes a node quarantine the delivery.
  deliveries: {
    replace: ({ webhooks }) => (storedPartsIn(webhooks) === undefined ? { webhooks: '[{}]' } : {}),
  },
}

/** Whether an unfinished purge covers an event at this position of the log. */
function isPurged(data: StoppedData, event: AcceptedEvent, position: number): boolean {
  const purged = new PurgedUsers({ positionOf: () => position })
  const { userId = '', previousId = '', anonymousId = '' } = event
  const subjects = data.rows(
    `SELECT kind, ids.id, purge_through, document
     FROM deletions JOIN deletion_ids AS ids ON deletion_id = deletions.id
     WHERE step = 'purge' AND purge_through IS NOT NULL AND ids.id IN (?, ?, ?)`,
    userId,
    previousId,
    anonymousId,
  )
  for (const { kind, id, purge_through: through, document } of subjects) {
    const { sourceIds } = JSON.parse(String(document)) as DeletionRequest
    const subject = { kind: kind as Subject['kind'], id: String(id) }
    purged.add(purgedIdsOf([subject], { sourceIds, through: Number(through) }))
  }
  return purged.has(event)
}

/** Tables and columns that the cluster creates or computes itself. */
export const NOT_COPIED: readonly string[] = [
  'encryption_keys',
  'profiles_state',
  'reserved_keys',
  'computations.size',
]

interface Column {
  readonly table: string
  readonly name: string
  /** In PostgreSQL. */
  readonly type: string
  readonly isIdentity: boolean
}

/** Events first, which create the partitions; computations before results, which a trigger counts. */
export async function movedTables(options: MoveOptions): Promise<readonly MovedTable[]> {
  const columns = await options.postgres.run(sql<Column>`
    SELECT table_name AS "table", column_name AS name, data_type AS type, is_identity = 'YES' AS "isIdentity"
    FROM information_schema.columns WHERE table_schema = current_schema()
    ORDER BY table_name <> 'events', table_name, ordinal_position`)
  return [...Map.groupBy(columns, ({ table }) => table)]
    .filter(([name]) => !NOT_COPIED.includes(name))
    .map(([name, all]) => new MovedTable(name, all, options))
    .filter((table) => table.columns.length > 0)
}

/** A table in the cluster, with the rows from the file that belong in it. */
export class MovedTable {
  readonly name: string
  /** The table in the file. */
  readonly from: string
  /** Columns in both databases. */
  readonly columns: readonly Column[]
  readonly #options: MoveOptions
  readonly #mapping: TableMapping
  readonly #key: readonly string[]

  constructor(name: string, all: readonly Column[], options: MoveOptions) {
    this.name = name
    this.#options = options
    this.#mapping = TABLE_MAPPINGS[name] ?? {}
    this.from = this.#mapping.from ?? name
    const select = 'SELECT name, pk FROM pragma_table_info(?) ORDER BY pk'
    const stored = [...options.data.rows(select, this.from)]
    const nameOf = (row: StoredRow): string => String(row['name'])
    const names = [...stored.map(nameOf), ...Object.keys(this.#mapping.columns ?? {})]
    const key = stored.filter(({ pk }) => pk !== 0).map(nameOf)
    this.#key = key.length > 0 ? key : names
    this.columns = all.filter(
      (each) => names.includes(each.name) && !NOT_COPIED.includes(`${name}.${each.name}`),
    )
  }

  /** The number of rows in the file. */
  get count(): number {
    const { where = 'TRUE' } = this.#mapping
    const select = `SELECT count(*) AS count FROM ${this.from} WHERE ${where}`
    return Number([...this.#options.data.rows(select)][0]!['count'])
  }

  /** The rows after a key, in key order; all rows if it is `null`. */
  rows(lastKey: string | null): Iterable<StoredRow> {
    const { columns = {}, where = 'TRUE' } = this.#mapping
    const selected = Object.entries(columns).map(([name, value]) => `, ${value} AS "${name}"`)
    const values = JSON.parse(lastKey ?? '[]') as (string | number)[]
    const key = this.#key.map((name) => `${this.from}."${name}"`).join()
    const isAfter = lastKey === null ? 'TRUE' : `(${key}) > (${values.map(() => '?').join()})`
    const select = `SELECT *${selected.join('')} FROM ${this.from} WHERE ${where} AND ${isAfter} ORDER BY ${key}`
    return this.#options.data.rows(select, ...values)
  }

  placeOf(row: StoredRow): string {
    return JSON.stringify(this.#key.map((name) => row[name]))
  }

  /** Inserts rows from the file. Returns the skipped rows. */
  async insert(transaction: Transaction<unknown>, stored: readonly StoredRow[]) {
    const { replace = () => ({}) } = this.#mapping
    const replaced = stored.map((row) => ({ row, values: replace(row, this.#options) }))
    const rows = replaced.flatMap(({ row, values }): StoredRow[] =>
      values === undefined ? [] : [{ ...row, ...values }],
    )
    if (this.name === 'events') {
      // Also creates the partitions for rows that belong to the events.
      const days = new Set(rows.map(({ id }) => dayOf(timeOfId(String(id)))))
      for (const day of days) await createDay(transaction, day)
    }
    const names = this.columns.map(({ name }) => sql.id(name))
    const arrays = this.columns.map(
      ({ name, type }) => sql`${rows.map((row) => valueOf(row[name]!, type))}::${sql.raw(type)}[]`,
    )
    await sql`INSERT INTO ${sql.id(this.name)} (${sql.join(names)}) OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest(${sql.join(arrays)})`.execute(transaction)
    return replaced.filter(({ values }) => values === undefined).map(({ row }) => row)
  }
}

/** Converts a SQLite value for PostgreSQL. */
function valueOf(value: StoredRow[string], type: string) {
  if (type === 'boolean') return value === 1
  if (value instanceof Uint8Array) return Buffer.from(value)
  return typeof value === 'string' ? toText(value.toWellFormed()) : value
}
