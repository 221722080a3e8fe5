import type { StoredRow, StoredTable } from '../../stopped-data.ts'
import { laneHash } from '../deliveries/rows/lane-hash.ts'
import { storedPartsIn } from '../../store/stored-parts.ts'
import { toText } from '../postgres/text.ts'

export type Value = string | number | boolean | null | Buffer

/** A column, with the type of its values. */
export interface MovedColumn {
  readonly name: string
  readonly type: 'text' | 'int' | 'bigint' | 'bool' | 'bytea' | 'jsonb'
  /** Its text is sealed under the text in this column. */
  readonly sealedUnder?: string
}

/** A table that rows are moved into. */
export interface TargetTable {
  readonly into: string
  readonly columns: readonly MovedColumn[]
}

/** A table that gets a row for each row of another one. */
export interface MovedTable extends TargetTable {
  readonly from: StoredTable
  /** The values of the columns. `key` seals. */
  readonly valuesOf: (row: StoredRow, key: Buffer) => readonly Value[]
}

/** The name of a table in reports, and where the progress of a move is recorded. */
export function nameOf({ from, into }: MovedTable): string {
  return from === into ? from : `${from} → ${into}`
}

/** The name of the events that wait for the pipeline. */
export const WAITING = 'waiting events'

/** The number of the change that has put what nodes read again when it has changed. */
export const MOVED_CHANGE = 1

/** `id text, sealed text under id` as columns. */
export function columnsOf(text: string): MovedColumn[] {
  return text.split(', ').map((each) => {
    const [name, type, , sealedUnder] = each.split(' ')
    const column = { name: name!, type: type as MovedColumn['type'] }
    return sealedUnder === undefined ? column : { ...column, sealedUnder }
  })
}

interface TableOptions {
  readonly into?: string
  /** Makes the values of columns that are not as they were. */
  readonly made?: Readonly<Record<string, (row: StoredRow, key: Buffer) => Value>>
  /** The `Store` escapes every text of it, JSON too. */
  readonly isOfStore?: true
}

/** A table whose columns have the values of the same names, unless they are made of others. */
function table(
  from: StoredTable,
  columns: string,
  { into = from, made = {}, isOfStore }: TableOptions = {},
): MovedTable {
  const all = columnsOf(columns)
  const valueOf = (column: MovedColumn, row: StoredRow, key: Buffer): Value => {
    const make = made[column.name]
    return make === undefined ? plainOf(column, row, isOfStore) : make(row, key)
  }
  return {
    from,
    into,
    columns: all,
    valuesOf: (row, key) => all.map((column) => valueOf(column, row, key)),
  }
}

/** Ids and words that clients send may have U+0000; JSON has none. */
const JSON_COLUMNS = new Set(['document', 'counts', 'traits', 'value', 'webhooks', 'sealed'])

function plainOf({ name, type }: MovedColumn, row: StoredRow, isOfStore = false): Value {
  const value = row[name] ?? null
  if (type === 'bool') return value === 1
  const isPlain = type === 'jsonb' || (JSON_COLUMNS.has(name) && !isOfStore)
  return typeof value === 'string' && !isPlain ? toText(value.toWellFormed()) : value
}

const text = (row: StoredRow, name: string): string => String(row[name])

const documentIn = (row: StoredRow): unknown => JSON.parse(text(row, 'document'))

const change = (): number => MOVED_CHANGE

/** What waits has a change of its own for each claim. */
const unclaimed = (): number => 0

const DELIVERY = 'rounds int, first_due_at bigint, due_at bigint, webhooks text'

/** Everything but the archive, in the order in which it is moved. */
export const MOVED_TABLES: readonly MovedTable[] = [
  table(
    'catalog',
    'kind text, id text, version bigint, number bigint, source_id text, document text, settings text under id',
    // The settings are sealed as they are.
    { isOfStore: true, made: { number: change, settings: (row) => row['settings'] ?? null } },
  ),
  table('key_uses', 'key text, last_used_at bigint, number bigint', { made: { number: change } }),
  table('tokens', 'id text, document text, last_used_at bigint', { isOfStore: true }),
  table(
    'audit',
    'seq bigint, id text, at bigint, actor_id text, action text, target_id text, sealed text under id',
  ),
  table('idempotent_responses', 'key text, fingerprint text, sealed text, expires_at bigint', {
    isOfStore: true,
  }),
  table('statistics', 'span text, start bigint, source_id text, destination_id text, counts jsonb'),
  table('declined', 'event_id text, destination_id text, reason text, since bigint'),
  table(
    'lanes',
    'number int, queue text, destination_id text, key text, sealed_url text under destination_id',
    {
      made: {
        key: (row, key) => laneKeyOf(row, key),
        sealed_url: (row) => text(row, 'url'),
      },
    },
  ),
  table(
    'deliveries',
    `id text, event_id text, destination_id text, state text, ${DELIVERY}, replay_id text, is_waiting bool`,
    { made: { webhooks: partsOf } },
  ),
  table(
    'notices',
    `id text, deletion_id text, source_id text, destination_id text, kind text, user_id text, created_at bigint, state text, ${DELIVERY}, ended_at bigint, attempts int, is_waiting bool`,
    { made: { webhooks: partsOf } },
  ),
  table('attempts', 'delivery_id text, id text, has_body bool, document text', {
    made: { document: attemptOf },
  }),
  table('waiting_parts', 'queue text, lane int, delivery_id text, due_at bigint, fence bigint', {
    made: { fence: unclaimed },
  }),
  table('quarantine', 'id text, reason text, at bigint, content bytea'),
  table(
    'replays',
    'id text, state text, created_at bigint, finished_at bigint, scanned bigint, requeued bigint, reached_at bigint, cursor text, document text, search_text text',
    { isOfStore: true },
  ),
  table('replay_ends', 'replay_id text, slot int, delivered bigint, failed bigint'),
  table(
    'deletions',
    'id text, step text, started_at bigint, suppressed_at bigint, purged_at bigint, notified_at bigint, purge_through bigint, purged_events bigint, purged_anonymous_events bigint, purged_deliveries bigint, document text',
    { isOfStore: true },
  ),
  table('deletion_ids', 'deletion_id text, kind text, id text'),
  table(
    'suppressions',
    'seq bigint, kind text, user_id text, source_id text, since bigint, deletion_id text, calls_left_out bigint, last_left_out_at bigint',
  ),
  table('cursors', 'name text, through bigint'),
  table('spaces', 'name text, profiles bigint'),
  table(
    'identities',
    'id bigint, space text, kind text, name text, profile bigint, is_seen bool, first_seen_at bigint, last_seen_at bigint, counts text, placeholders bigint, version bigint, dirty_since bigint, recheck_at bigint',
    { isOfStore: true },
  ),
  table('identity_traits', 'identity bigint, traits text', { isOfStore: true }),
  table(
    'claims',
    'anonymous bigint, claimer bigint, at bigint, received_at bigint, message_id text, event_id text, source_id text, is_first bool',
  ),
  table(
    'aliases',
    'identity bigint, partner bigint, at bigint, received_at bigint, message_id text, event_id text, source_id text, is_linked bool',
  ),
  table(
    'fact_clauses',
    'number bigint, definition text, keep_ms bigint, keep_most bigint, fill_through bigint, filled_through bigint, reaches_back_to bigint',
  ),
  table('facts', 'identity bigint, clause bigint, at bigint, position bigint, value text', {
    isOfStore: true,
  }),
  // A trigger counts their sizes while results are moved.
  table('computations', 'number bigint, id text'),
  table('results', 'profile bigint, computation bigint, value text, since bigint', {
    isOfStore: true,
  }),
  table('announced', 'user_id text, computation bigint, value text, number bigint, at bigint', {
    isOfStore: true,
  }),
  table('listed_users', 'computation bigint, user_id text'),
  table('computation_changes', 'computation bigint, start bigint, entered bigint, went bigint'),
  table('syncs', 'id text, computation text, is_open bool, document text'),
]

/** PostgreSQL has to read it as JSON. One without a readable part is put into quarantine when it is claimed. */
function partsOf(row: StoredRow): string {
  return storedPartsIn(row['webhooks']) === undefined ? '[{}]' : text(row, 'webhooks')
}

function attemptOf(row: StoredRow): string {
  try {
    documentIn(row)
    return text(row, 'document')
  } catch {
    return '{}'
  }
}

/** A URL that could not be opened is empty, and several lanes may have such a one. */
function laneKeyOf(row: StoredRow, key: Buffer): string {
  const [destinationId, url] = [text(row, 'destination_id'), text(row, 'url')]
  return url === '' ? `lost ${text(row, 'number')}` : laneHash({ destinationId, url }, key)
}
