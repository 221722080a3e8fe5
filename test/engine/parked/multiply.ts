import { DatabaseSync } from 'node:sqlite'
import { copyRows, fillDatabase, NO_CHECKSUM } from '@hookline/testing/files/fill-database'

/**
 * The number of copies, and when they are due, in milliseconds since the epoch: the first ones at `dueAt`, the rest later.
 */
export interface Copies {
  readonly count: number
  readonly dueFirst: number
  readonly dueAt: number
  readonly dueLaterAt: number
}

const PENDING = "state = 'pending' AND length(due_at) > 0"
const DELIVERED = "state = 'delivered'"

/**
 * Copies the only parked delivery and its event, directly in the database file of a stopped service. A million copies take
 * seconds. Columns not listed here keep the value of the original.
 * @returns the number of pending deliveries
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
 * Copies the only delivered delivery and its event in the same way.
 * @returns the number of delivered deliveries
 */
export function multiplyDelivered(file: string, count: number): number {
  return multiply(file, { original: DELIVERED, numbers: 'SELECT n', count, delivery: {} })
}

interface Multiplication {
  /** The SQL condition that selects the original delivery. */
  readonly original: string
  /** A SELECT that computes values from each number `n`, for use in the columns. */
  readonly numbers: string
  readonly count: number
  /** The columns of the deliveries that differ from the original. */
  readonly delivery: Readonly<Record<string, string>>
}

function multiply(file: string, { original, numbers, count, delivery }: Multiplication): number {
  fillDatabase(file, (db) => {
    db.exec(`CREATE TEMP TABLE copy AS WITH RECURSIVE copy (n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count}) ${numbers} FROM copy`)
    const last = Number(db.prepare('SELECT MAX(seq) AS seq FROM events').get()?.['seq'])
    // These ids sort after earlier copies and before ids that the service creates.
    const id = (prefix: string): string => `'${prefix}_' || printf('%026d', ${last} + n)`
    // Events first: the query for the original event needs the original delivery to be the only one that matches.
    copyRows(db, {
      table: 'events',
      originals: `SELECT * FROM events WHERE id = (SELECT event_id FROM deliveries WHERE ${original}) LIMIT 1`,
      changed: {
        seq: `${last} + n`,
        id: id('evt'),
        // Random like real ones, so that the indexes are accessed at random places.
        message_id: 'lower(hex(randomblob(16)))',
        user_id: "'user-' || printf('%010d', abs(random()) % 1000000)",
        checksum: NO_CHECKSUM,
      },
    })
    copyRows(db, {
      table: 'deliveries',
      originals: `SELECT * FROM deliveries WHERE ${original} LIMIT 1`,
      changed: { id: id('msg'), event_id: id('evt'), ...delivery },
    })
    db.exec(`UPDATE log_position SET acked = ${last + count}`)
  })
  using db = new DatabaseSync(file)
  const found = db.prepare(`SELECT COUNT(*) AS count FROM deliveries WHERE ${original}`)
  return Number(found.get()?.['count'])
}
