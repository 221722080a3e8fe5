import { sql } from 'kysely'
import type { Postgres } from '../postgres/postgres.ts'
import { dayOfPartition } from './days.ts'
import { isLockTimeout } from './lock-waits.ts'
import { makeDay } from './make-day.ts'

/** The partitions that there are, by day in their order, and the day that it is for the database. */
export interface Days {
  readonly today: number
  readonly days: readonly number[]
}

/**
 * The partitions of days. Their ids say where rows belong, so a row that comes before its partition is made waits in the default
 * partition and is moved.
 */
export class Partitions {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  async read(): Promise<Days> {
    const rows = await this.#postgres.run(sql<{ readonly today: number; readonly name: string }>`
      SELECT floor(extract(epoch FROM now()) / 86400)::int AS today, relname AS name
      FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'events'::regclass`)
    const days = rows.flatMap(({ name }) => dayOfPartition(name) ?? [])
    return { today: rows[0]!.today, days: days.toSorted((a, b) => a - b) }
  }

  /**
   * Makes the partitions from yesterday to `ahead` days from now. Any node may call it, at any time. Where a statement holds a table
   * for longer than writers may wait, the rest is left for the next call.
   */
  async makeAhead(ahead: number): Promise<void> {
    const { today, days } = await this.read()
    for (let day = today - 1; day <= today + ahead; day++) {
      if (days.includes(day)) continue
      try {
        await this.#postgres.write((transaction) => makeDay(transaction, day))
      } catch (error) {
        if (isLockTimeout(error)) return
        throw error
      }
    }
  }
}
