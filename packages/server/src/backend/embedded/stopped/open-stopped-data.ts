import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { readIfThere } from '../../../util/durable-file.ts'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { DeletionRequest, Subject } from '../../deletions.ts'
import type {
  LastNumbers,
  StoppedData,
  StoredEvent,
  StoredPurge,
  StoredRow,
  StoredSlice,
  StoredTable,
} from '../../stopped-data.ts'
import { DATABASE_NAME, DataDir } from '../database/data-dir.ts'
import { boxThatOpens } from '../database/encryption-key.ts'
import { openedText } from '../database/opened-text.ts'
import { numberOrNull, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { KEY_FILES } from '../file-keys.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from '../log/event-row.ts'
import { RECORDED_POSITIONS } from '../log/log-numbering.ts'
import { type EmbeddedOptions, prepareDatabase } from '../open.ts'
import { UnusableDatabase } from './stopped-database.ts'
import { TABLE_READS } from './stored-tables.ts'

/** Rows and bytes of a slice: it ends with the row that exceeds one of them. */
const SLICE_ROWS = 500
const SLICE_BYTES = 512 * 1024

/**
 * Opens the data of a stopped service to move it elsewhere. It is brought to the current schema first, as the next start would.
 * @throws {DataDirInUse} where a service runs on the folder
 * @throws {UnusableDatabase} where there is no database; otherwise what `openEmbeddedBackend` throws
 */
export function openStoppedData(options: Omit<EmbeddedOptions, 'maxWaitingBytes'>): StoppedData {
  using stack = new DisposableStack()
  const { dataDir, encryptionKey } = options
  const isThere = existsSync(join(dataDir, DATABASE_NAME))
  if (!isThere) throw new UnusableDatabase(`${dataDir} has no database.`)
  const { databaseFile } = stack.use(new DataDir(dataDir))
  const { box } = prepareDatabase(databaseFile, options, (used) =>
    boxThatOpens(dataDir, encryptionKey, used),
  )
  const reader = stack.use(DataDir.openForReading(databaseFile))
  const data = new SqliteStoppedData(reader, box, readIfThere(join(dataDir, KEY_FILES.receipts)))
  const open = stack.move()
  return Object.assign(data, { [Symbol.dispose]: () => open.dispose() })
}

class SqliteStoppedData implements Omit<StoppedData, typeof Symbol.dispose> {
  readonly receiptKey: string | undefined
  readonly identity: string
  readonly numbers: LastNumbers
  readonly profilePurges: number
  readonly #reader: DatabaseSync
  readonly #statements: Statements
  readonly #slices = new Map<string, StatementSync>()
  readonly #box: SecretBox
  readonly #acked: number

  constructor(reader: DatabaseSync, box: SecretBox, receiptKey: string | undefined) {
    this.#reader = reader
    this.#statements = new Statements(reader)
    this.#box = box
    this.receiptKey = receiptKey
    const log = this.#only('SELECT hash_seed, commits, acked FROM log_position')
    // The seed is a random number of the file, and each write of a service has a number.
    this.identity = `${String(log['hash_seed'])}.${String(log['commits'])}`
    this.#acked = Number(log['acked'])
    this.profilePurges = this.#number('SELECT purges FROM profiles_state')
    this.numbers = this.#readNumbers()
  }

  rows(table: StoredTable, place: string | null): StoredSlice<StoredRow> {
    const { key, columns, from = table } = TABLE_READS[table]
    const after = place === null ? undefined : (JSON.parse(place) as (string | number)[])
    const condition =
      after === undefined ? 'TRUE' : `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
    const found = this.#slice(
      `SELECT ${columns.join(', ')} FROM ${from} WHERE ${condition} ORDER BY ${key.join(', ')}`,
      after ?? [],
    )
    const last = found.rows.at(-1)
    return {
      rows: found.rows.map((row) => this.#opened(table, row as StoredRow)),
      next: found.isEnd || !last ? null : JSON.stringify(key.map((column) => last[column])),
    }
  }

  events(of: 'all' | 'pending', place: string | null): StoredSlice<StoredEvent> {
    const beginning = of === 'all' ? 0 : this.#acked
    const { rows, isEnd } = this.#slice(
      `SELECT seq, duplicates, last_duplicate_at, ${EVENT_COLUMNS} FROM events WHERE seq > ? ORDER BY seq`,
      [place === null ? beginning : Number(place)],
    )
    const next = isEnd ? null : String(rows.at(-1)!['seq'])
    return { rows: rows.map(storedEventOf), next }
  }

  openPurges(): readonly StoredPurge[] {
    const rows = this.#statements.all(
      `SELECT id, purge_through, document FROM deletions WHERE step = 'purge' AND purge_through IS NOT NULL`,
      [],
    )
    return rows.map((row) => ({
      subjects: this.#subjects(String(row['id'])),
      sourceIds: (JSON.parse(String(row['document'])) as DeletionRequest).sourceIds,
      through: Number(row['purge_through']),
    }))
  }

  #subjects(deletionId: string): Subject[] {
    const rows = this.#statements.all('SELECT kind, id FROM deletion_ids WHERE deletion_id = ?', [
      deletionId,
    ])
    return rows.map(({ kind, id }) => ({ kind: kind as Subject['kind'], id: String(id) }))
  }

  /** The first rows of a statement. Those behind them are not read. */
  #slice(sql: string, values: readonly (string | number)[]) {
    const rows: Row[] = []
    let bytes = 0
    for (const row of this.#prepared(sql).iterate(...values)) {
      rows.push(row)
      bytes += bytesOf(row)
      if (rows.length >= SLICE_ROWS || bytes >= SLICE_BYTES) return { rows, isEnd: false }
    }
    return { rows, isEnd: true }
  }

  #prepared(sql: string): StatementSync {
    const prepared = this.#slices.get(sql) ?? this.#reader.prepare(sql)
    this.#slices.set(sql, prepared)
    return prepared
  }

  /** What cannot be opened becomes an empty text, which is no URL and no entry. */
  #opened(table: StoredTable, row: StoredRow): StoredRow {
    const open = (sealed: unknown, label: unknown): string =>
      openedText(this.#box, String(sealed), String(label)) ?? ''
    if (table === 'lanes') return { ...row, url: open(row['url'], row['destination_id']) }
    if (table === 'audit') return { ...row, sealed: open(row['sealed'], row['id']) }
    if (table === 'catalog' && row['settings'] !== null)
      return { ...row, settings: open(row['settings'], row['id']) }
    return row
  }

  #readNumbers(): LastNumbers {
    const most = (column: string, table: string): number =>
      this.#number(`SELECT COALESCE(MAX(${column}), 0) FROM ${table}`)
    const given = (table: string): number =>
      this.#number(`SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = '${table}'`)
    return {
      event: this.#number(`SELECT COALESCE(MAX(seq), 0) FROM (${RECORDED_POSITIONS})`),
      lane: most('number', 'lanes'),
      audit: most('seq', 'audit'),
      identity: this.#number('SELECT identities FROM profiles_state'),
      factClause: given('fact_clauses'),
      computation: given('computations'),
    }
  }

  #number(sql: string): number {
    return Number(Object.values(this.#only(sql))[0])
  }

  #only(sql: string): Row {
    return this.#statements.all(sql, [])[0]!
  }
}

function storedEventOf(row: Row): StoredEvent {
  return {
    id: String(row['id']),
    seq: Number(row['seq']),
    duplicates: Number(row['duplicates']),
    lastDuplicateAt: numberOrNull(row['last_duplicate_at']),
    event: readableEventOf(row),
  }
}

function bytesOf(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )
}
