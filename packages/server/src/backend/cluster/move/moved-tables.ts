import { type AcceptedEvent, timeOfId } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { DeletionRequest, Subject } from '../../deletions.ts'
import type { StoppedData, StoredRow } from '../../stopped-data.ts'
import { PurgedUsers, purgedIdsOf } from '../../store/purged-users.ts'
import { parsedJson } from '../../store/rows.ts'
import { storedPartsIn } from '../../store/stored-parts.ts'
import { laneHash } from '../deliveries/postgres-lanes.ts'
import { eventChecksumOf } from '../postgres/event-rows.ts'
import { chunkOf } from '../jetstream/chunk.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { dayOf } from '../postgres/days.ts'
import { makeDay } from '../upkeep/partitions.ts'

/** An event is larger than a message of NATS, and waits for the pipeline. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge'
}

export interface MoveOptions {
  readonly postgres: Postgres
  /** The box of the cluster. */
  readonly box: SecretBox
  readonly data: StoppedData
  /** Maximum size of a message of the log. */
  readonly maxPayloadBytes: number
  /** Rejects if the log cannot take the waiting events. */
  readonly checkLog: () => Promise<void>
  /** Called when all rows of a table are copied, before they are compared. */
  readonly onMoved?: ((table: string) => void) | undefined
}

/** The number of the change that all moved records have. */
export const MOVED_CHANGE = 1
/** Of the headers of a message. */
const HEADER_BYTES = 1024

/** Differences between a table in the file and in the cluster. */
interface Form {
  /** The table in the file. Defaults to the table of the same name. */
  readonly from?: string
  /** Columns that it lacks, or has in another form, as SQL of SQLite. */
  readonly columns?: Readonly<Record<string, string>>
  /** A condition on its rows, as SQL of SQLite. */
  readonly where?: string
  /** Replaces values that SQL cannot make; `undefined` if the row is not copied. */
  readonly replace?: (row: StoredRow, context: FormContext) => StoredRow | undefined
}

interface FormContext extends MoveOptions {
  /** Whether a purge that has begun covers an event at its position in the log. */
  readonly isPurged: (event: AcceptedEvent, position: number) => boolean
}

/** By table of the cluster. All other tables have the same columns in both, and are copied as they are. */
const FORMS: Readonly<Record<string, Form>> = {
  // The cluster has bodies as bytes and finds anonymous ids; its checksum covers both. Later positions of its log are larger.
  events: {
    columns: { log_position: 'seq', anonymous_id: 'NULL', body: 'CAST(body AS BLOB)' },
    replace(row, { data }) {
      const event = data.eventOf(row)
      const { anonymousId = null } = event ?? {}
      return event && { anonymous_id: anonymousId, checksum: eventChecksumOf(event) }
    },
  },
  // The events that the pipeline has not finished, except where an unfinished purge removes them from the archive.
  outbox: {
    from: 'events',
    columns: { chunk: 'NULL', body: 'CAST(body AS BLOB)' },
    where: 'seq > (SELECT acked FROM log_position)',
    replace(row, { data, isPurged, maxPayloadBytes }) {
      const event = data.eventOf(row)
      if (event === undefined || isPurged(event, Number(row['seq']))) return undefined
      const chunk = chunkOf([event])
      if (chunk.length <= maxPayloadBytes - HEADER_BYTES) return { chunk }
      throw new EventTooLarge(
        `The event ${event.id} waits for the pipeline, and is larger than a message of NATS. Raise max_payload of the NATS ` +
          'servers, and run the command again.',
      )
    },
  },
  // Nodes find a lane by a keyed hash of its URL. One that cannot be opened is never found again.
  lanes: {
    columns: { key: `'lost ' || number` },
    replace({ destination_id: id, sealed_url: sealed }, { data, box }) {
      const [destinationId, url] = [String(id), data.open(String(sealed), String(id))]
      return url === undefined ? {} : { key: laneHash({ destinationId, url }, box.keys[0]!) }
    },
  },
  // PostgreSQL reads these as its JSON.
  deliveries: { replace: readableParts },
  notices: { replace: readableParts },
  attempts: { replace: readableAttempt },
  // No node has claimed a part.
  waiting_parts: { columns: { fence: '0' } },
  // Nodes read the records whose number has changed.
  catalog: { columns: { number: String(MOVED_CHANGE) } },
  key_uses: { columns: { number: String(MOVED_CHANGE) } },
}

/** A damaged one becomes a list that has no part: the node that claims the delivery puts it into quarantine. */
function readableParts({ webhooks }: StoredRow): StoredRow {
  return storedPartsIn(webhooks) === undefined ? { webhooks: '[{}]' } : {}
}

/** A damaged one becomes an object that has nothing to show. */
function readableAttempt({ document }: StoredRow): StoredRow {
  return parsedJson(document) === undefined ? { document: '{}' } : {}
}

const COUNTED = 'the cluster counts the copied rows itself'

/** Tables and columns that are not copied, with the reason. The guide has the same list. */
export const NOT_COPIED: Readonly<Record<string, string>> = {
  log_position: 'it describes the file; the events after `acked` are the waiting events',
  encryption_keys: 'the cluster keeps its own',
  profiles_state: 'the cluster continues its numbers; each start of a node sets the rest',
  reserved_keys: 'the requests ended with the process',
  message_id_filters: 'PostgreSQL finds duplicates by an index',
  waiting: COUNTED,
  waiting_lanes: COUNTED,
  'computations.size': COUNTED,
  missing_rows: 'it counts rows that the file has lost',
  damages: 'it lists damage to the file',
}

interface Column {
  readonly table: string
  readonly name: string
  /** In PostgreSQL. */
  readonly type: string
  readonly isIdentity: boolean
}

/** Events first, because they make the partitions of days; computations before the results that a trigger counts. */
export async function movedTables(options: MoveOptions): Promise<readonly MovedTable[]> {
  const context = { ...options, isPurged: unfinishedPurges(options.data) }
  const columns = await options.postgres.run(sql<Column>`
    SELECT table_name AS "table", column_name AS name, data_type AS type, is_identity = 'YES' AS "isIdentity"
    FROM information_schema.columns WHERE table_schema = current_schema()
    ORDER BY table_name <> 'events', table_name, ordinal_position`)
  return [...Map.groupBy(columns, ({ table }) => table)]
    .filter(([name]) => !(name in NOT_COPIED))
    .map(([name, all]) => new MovedTable(name, all, context))
    .filter((table) => table.columns.length > 0)
}

export type Value = string | number | boolean | null | Buffer

/** Rows that are read together: 200 MB with the largest events. */
const ROWS = 200

/** A table of the cluster that rows of the file are copied into. */
export class MovedTable {
  readonly name: string
  /** The table in the file. */
  readonly from: string
  /** Those that both have. */
  readonly columns: readonly Column[]
  readonly #context: FormContext
  readonly #form: Form
  readonly #key: readonly string[]
  readonly #select: string

  constructor(name: string, all: readonly Column[], context: FormContext) {
    this.#form = FORMS[name] ?? {}
    const { from = name, columns: made = {}, where = 'TRUE' } = this.#form
    const stored = [...context.data.rows('SELECT name, pk FROM pragma_table_info(?)', from)]
    const names = [
      ...new Set([...stored.map((each) => String(each['name'])), ...Object.keys(made)]),
    ]
    const inKey = stored.filter(({ pk }) => Number(pk) > 0)
    const key = inKey.toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
    const selected = names.map((each) => `${made[each] ?? `"${each}"`} AS "${each}"`)
    this.name = name
    this.from = from
    this.columns = all.filter(
      (each) => names.includes(each.name) && !(`${name}.${each.name}` in NOT_COPIED),
    )
    this.#context = context
    this.#key = key.length > 0 ? key.map((each) => String(each['name'])) : names
    this.#select = `SELECT ${selected.join()} FROM ${from} WHERE ${where}`
  }

  /** The rows of the file after a place, in the order of their key; all of them after `null`. */
  rows(place: string | null): Iterable<StoredRow> {
    const after = JSON.parse(place ?? '[]') as (string | number)[]
    const key = this.#key.map((name) => `"${name}"`).join()
    const isAfter = place === null ? 'TRUE' : `(${key}) > (${after.map(() => '?').join()})`
    return this.#context.data.rows(`${this.#select} AND ${isAfter} ORDER BY ${key}`, ...after)
  }

  placeOf(row: StoredRow): string {
    return JSON.stringify(this.#key.map((name) => row[name]))
  }

  /** The values of the columns; `undefined` if the row is not copied. */
  valuesOf(row: StoredRow): readonly Value[] | undefined {
    const { replace = () => ({}) } = this.#form
    const replaced = replace(row, this.#context)
    if (replaced === undefined) return undefined
    const values: StoredRow = { ...row, ...replaced }
    return this.columns.map(({ name, type }) => {
      const value = values[name]!
      if (type === 'boolean') return value === 1
      if (value instanceof Uint8Array) return Buffer.from(value)
      return typeof value === 'string' ? toText(value.toWellFormed()) : value
    })
  }

  async insert(transaction: Transaction<unknown>, stored: readonly StoredRow[]): Promise<void> {
    const rows = stored.map((row) => this.valuesOf(row)).filter((values) => values !== undefined)
    if (rows.length === 0) return
    if (this.name === 'events') {
      // With the partitions of the rows that belong to them.
      const days = new Set(stored.map(({ id }) => dayOf(timeOfId(String(id)))))
      for (const day of days) await makeDay(transaction, day)
    }
    const arrays = this.columns.map(
      ({ type }, index) => sql`${rows.map((values) => values[index]!)}::${sql.raw(type)}[]`,
    )
    await sql`INSERT INTO ${sql.id(this.name)} (${this.#names}) OVERRIDING SYSTEM VALUE
      SELECT * FROM unnest(${sql.join(arrays)})`.execute(transaction)
  }

  /** Reads the values of all rows in the cluster. */
  copied(take: (values: readonly Value[]) => void): Promise<void> {
    return this.#context.postgres.write(async (transaction) => {
      await sql`DECLARE copied NO SCROLL CURSOR FOR
        SELECT ${this.#names} FROM ${sql.id(this.name)}`.execute(transaction)
      for (let count = ROWS; count === ROWS;) {
        const { rows } = await sql<Readonly<Record<string, Value>>>`
          FETCH ${sql.lit(ROWS)} FROM copied`.execute(transaction)
        for (const row of rows) take(this.columns.map(({ name }) => row[name]!))
        count = rows.length
      }
    })
  }

  get #names() {
    return sql.join(this.columns.map(({ name }) => sql.ref(name)))
  }
}

function unfinishedPurges(data: StoppedData): FormContext['isPurged'] {
  let current = 0
  const purged = new PurgedUsers({ positionOf: () => current })
  const subjects = data.rows(`SELECT kind, ids.id, purge_through, document
    FROM deletions JOIN deletion_ids AS ids ON deletion_id = deletions.id
    WHERE step = 'purge' AND purge_through IS NOT NULL`)
  for (const { kind, id, purge_through: through, document } of subjects) {
    const { sourceIds } = JSON.parse(String(document)) as DeletionRequest
    const subject = { kind: kind as Subject['kind'], id: String(id) }
    purged.add(purgedIdsOf([subject], { sourceIds, through: Number(through) }))
  }
  return (event, position) => {
    current = position
    return purged.has(event)
  }
}
