import { DatabaseSync } from 'node:sqlite'

/** When the copies are due, in milliseconds since the epoch: the first of them at once, the rest later. */
export interface Copies {
  readonly count: number
  readonly dueFirst: number
  readonly dueAt: number
  readonly dueLaterAt: number
}

const PENDING = "state = 'pending' AND length(due_at) > 0"
const DELIVERED = "state = 'delivered'"

/**
 * Makes copies of the one parked delivery, and of its event, straight in the database file of a service that
 * is stopped: a million take seconds. What is not named here is as in the original.
 * @returns how many deliveries are pending now
 */
export function multiplyParked(
  file: string,
  { count, dueFirst, dueAt, dueLaterAt }: Copies,
): number {
  return multiply(file, {
    original: PENDING,
    numbers: `SELECT n, CASE WHEN n <= ${dueFirst} THEN ${dueAt} ELSE ${dueLaterAt} + n END AS due`,
    count,
    delivery: {
      first_due_at: String(dueAt),
      due_at: 'due',
      webhooks: "json_set(webhooks, '$[0].dueAt', due)",
    },
  })
}

/**
 * The same with a delivery that has ended: history.
 * @returns how many deliveries have been delivered now
 */
export function multiplyDelivered(file: string, count: number): number {
  return multiply(file, { original: DELIVERED, numbers: 'SELECT n', count, delivery: {} })
}

interface Multiplied {
  /** Which delivery. */
  readonly original: string
  /** What is made of each number `n`, for the columns to use. */
  readonly numbers: string
  readonly count: number
  /** Columns of the deliveries that are not as in the original. */
  readonly delivery: Readonly<Record<string, string>>
}

function multiply(file: string, { original, numbers, count, delivery }: Multiplied): number {
  using db = new DatabaseSync(file)
  // Nobody needs this file should the machine fail now.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  db.exec(`CREATE TEMP TABLE copy AS WITH RECURSIVE copy (n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count}) ${numbers} FROM copy`)
  const last = Number(db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'])
  // Behind those of earlier copies, before all that the service makes.
  const id = (prefix: string): string => `'${prefix}_' || printf('%026d', ${last} + n)`
  const indexes = dropIndexes(db)
  // The event first: it is found by the delivery that is the only one of its kind until then.
  copyRows(db, 'events', `id = (SELECT event_id FROM deliveries WHERE ${original})`, {
    seq: `${last} + n`,
    id: id('evt'),
    // As of real ones, the next says nothing of the last: indexes are hit all over.
    message_id: 'lower(hex(randomblob(16)))',
    user_id: "'user-' || printf('%010d', abs(random()) % 1000000)",
  })
  copyRows(db, 'deliveries', original, { id: id('msg'), event_id: id('evt'), ...delivery })
  for (const sql of indexes) db.exec(sql)
  db.exec(`UPDATE log_position SET acked = ${last + count}; COMMIT; PRAGMA journal_mode = WAL`)
  const found = db.prepare(`SELECT COUNT(*) AS count FROM deliveries WHERE ${original}`)
  return Number(found.get()?.['count'])
}

/**
 * Those of the events, which are hit at random: made anew at the end, they are sorted once. Those of the deliveries
 * hold what waits, in order, and stay. @returns what makes them
 */
function dropIndexes(db: DatabaseSync): readonly string[] {
  const indexes = db
    .prepare(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL
       AND tbl_name = 'events'`,
    )
    .all()
  for (const { name } of indexes) db.exec(`DROP INDEX ${String(name)}`)
  return indexes.map(({ sql }) => String(sql))
}

/** The original row once for each number, in their order (CROSS JOIN keeps it), with some columns made anew. */
function copyRows(
  db: DatabaseSync,
  table: 'events' | 'deliveries',
  original: string,
  changed: Readonly<Record<string, string>>,
): void {
  const columns = db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((name) => changed[name] ?? `original.${name}`)
  db.exec(`CREATE TEMP TABLE original AS SELECT * FROM ${table} WHERE ${original} LIMIT 1;
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM copy CROSS JOIN original;
    DROP TABLE original`)
}
