import { DatabaseSync } from 'node:sqlite'

/** When the copies are due, in milliseconds since the epoch: the first of them at once, the rest later. */
export interface Copies {
  readonly count: number
  readonly dueFirst: number
  readonly dueAt: number
  readonly dueLaterAt: number
}

/**
 * Makes copies of the one parked delivery, and of its event, straight in the database file of a service that
 * is stopped: a million take seconds. What is not named here is as in the original.
 * @returns how many deliveries are pending now
 */
export function multiplyParked(
  file: string,
  { count, dueFirst, dueAt, dueLaterAt }: Copies,
): number {
  using db = new DatabaseSync(file)
  // Nobody needs this file should the machine fail now.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
  db.exec(`CREATE TEMP TABLE copy AS
    WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count})
    SELECT n, CASE WHEN n <= ${dueFirst} THEN ${dueAt} ELSE ${dueLaterAt} + n END AS due FROM copy`)
  const last = Number(db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'])
  copyRows(db, 'events', {
    seq: `${last} + n`,
    id: "'evt_' || printf('%026d', n)",
    message_id: "'message-' || n",
  })
  copyRows(db, 'deliveries', {
    id: "'msg_' || printf('%026d', n)",
    event_id: "'evt_' || printf('%026d', n)",
    first_due_at: String(dueAt),
    due_at: 'due',
    webhooks: "json_set(webhooks, '$[0].dueAt', due)",
  })
  db.exec(`UPDATE log_position SET acked = ${last + count}; COMMIT; PRAGMA journal_mode = WAL`)
  const pending = db.prepare("SELECT COUNT(*) AS count FROM deliveries WHERE state = 'pending'")
  return Number(pending.get()?.['count'])
}

/** The row of the pending delivery, or of its event, once for each number, with some columns made anew. */
function copyRows(
  db: DatabaseSync,
  table: 'events' | 'deliveries',
  changed: Readonly<Record<string, string>>,
): void {
  const original =
    table === 'deliveries'
      ? "state = 'pending' AND length(due_at) > 0"
      : "id = (SELECT event_id FROM deliveries WHERE state = 'pending')"
  const columns = db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((name) => changed[name] ?? `original.${name}`)
  db.exec(`CREATE TEMP TABLE original AS SELECT * FROM ${table} WHERE ${original} LIMIT 1;
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM copy, original ORDER BY n;
    DROP TABLE original`)
}
