import { sql } from 'kysely'
import type { Missing, WaitingDeliveries } from '../../upkeep.ts'
import { tryLock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'

/** Sums of `tallies`. */
export interface Totals {
  readonly waiting: readonly WaitingDeliveries[]
  readonly missing: Missing
  readonly events: number
  readonly bytes: number
}

interface Sum {
  readonly kind: string
  readonly of: string
  readonly rows: number
  readonly bytes: number
  /** How many rows were added up for it. */
  readonly parts: number
}

/** So many rows are read within a few milliseconds. With more, a reader puts them together. */
const MANY = 2_000
/** Rows that one statement puts together. */
const MOST_TOGETHER = 20_000

/** What is stored and what waits, in numbers that every statement has added to (migrations/schema.sql). */
export class Tallies {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  async read(): Promise<Totals> {
    const sums = await this.#postgres.run(sql<Sum>`
      SELECT kind, of, sum(rows)::bigint AS rows, sum(bytes)::bigint AS bytes, count(*) AS parts
      FROM tallies GROUP BY kind, of ORDER BY of, kind`)
    if (sums.reduce((all, { parts }) => all + parts, 0) > MANY) await this.putTogether()
    return totalsOf(sums)
  }

  /** Bytes of everything, and of one day. */
  async bytesOfDay(day: number): Promise<{ readonly bytes: number; readonly ofDay: number }> {
    const [row] = await this.#postgres.run(sql<{ readonly bytes: number; readonly ofDay: number }>`
      SELECT coalesce(sum(bytes), 0)::bigint AS bytes,
        coalesce(sum(bytes) FILTER (WHERE day = ${day}), 0)::bigint AS "ofDay" FROM tallies`)
    return row!
  }

  /** Puts rows of the same day and kind together. Does nothing where another node does. */
  async putTogether(): Promise<void> {
    await this.#postgres.write(async (transaction) => {
      if (!(await tryLock(transaction, 'upkeep'))) return
      await sql`
        WITH taken AS (
          DELETE FROM tallies WHERE ctid = ANY(ARRAY(SELECT ctid FROM tallies LIMIT ${MOST_TOGETHER}))
          RETURNING *)
        INSERT INTO tallies SELECT day, kind, of, sum(rows), sum(bytes) FROM taken GROUP BY day, kind, of
          HAVING sum(rows) <> 0 OR sum(bytes) <> 0`.execute(transaction)
    })
  }
}

function totalsOf(sums: readonly Sum[]): Totals {
  const sumOf = (kind: string, of = ''): number =>
    sums.find((each) => each.kind === kind && each.of === of)?.rows ?? 0
  return {
    waiting: sums.flatMap(({ kind, of, rows }) =>
      (kind === 'pending' || kind === 'held') && rows > 0
        ? [{ destinationId: fromText(of), state: kind, count: rows }]
        : [],
    ),
    missing: {
      events: sumOf('missing', 'events'),
      decisions: sumOf('missing', 'declined'),
      deliveries: sumOf('missing', 'deliveries'),
    },
    events: sumOf('events'),
    bytes: sums.reduce((all, { bytes }) => all + bytes, 0),
  }
}
