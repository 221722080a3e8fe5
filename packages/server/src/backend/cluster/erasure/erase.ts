import { sql } from 'kysely'
import { REWRITTEN_TABLES } from '../postgres/rewritten-tables.ts'
import { beginDays, endDay } from '../postgres/unerased-days.ts'
import { DAILY_TABLES } from '../upkeep/days.ts'
import { removeCopies } from './day-copy.ts'
import { rewriteDay } from './rewrite-day.ts'
import { type Erasing, whenFree } from './when-free.ts'

/** The tables with days that have content of users. */
const WITH_CONTENT = DAILY_TABLES.filter(({ name }) => name === 'events' || name === 'attempts')

/**
 * Rewrites what content of users was removed from: PostgreSQL writes the rows that are there to new files, and removes the old
 * ones with all that was in them. VACUUM would leave the bytes in the free part of each page until other rows come there.
 *
 * A table without days is rewritten in one transaction, and nothing else uses it meanwhile. Of the partitions of days, which may be
 * large, only those are rewritten from which a row was removed, beside what goes on with them (rewrite-day.ts). Resolves to whether
 * it reached the end.
 *
 * What stays, out of reach of SQL: the WAL until it is recycled, replicas as far as they lag behind, backups, and the free
 * blocks of the disk.
 */
export async function eraseRemoved(erasing: Erasing): Promise<boolean> {
  const { postgres, signal } = erasing
  if (signal.aborted) return false
  await removeCopies(erasing)
  for (const table of REWRITTEN_TABLES) if (!(await rewriteTable(erasing, table))) return false
  for (const day of await beginDays(postgres)) {
    for (const table of WITH_CONTENT) if (!(await rewriteDay(erasing, table, day))) return false
    await endDay(postgres, day)
  }
  return true
}

/**
 * Writes the rows of a table to a new file. VACUUM FULL would also copy what was removed, if any transaction may still see it;
 * this copies what is there. Resolves to whether it did.
 */
async function rewriteTable(erasing: Erasing, name: string): Promise<boolean> {
  const table = sql.id(name)
  const isDone = await whenFree(erasing, name, async (transaction) => {
    await sql`LOCK TABLE ONLY ${table} IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    // From here on, nobody can be in its way.
    await sql`SELECT set_config('lock_timeout', '0', true)`.execute(transaction)
    await sql`CREATE TEMPORARY TABLE kept_rows ON COMMIT DROP AS SELECT * FROM ONLY ${table}`.execute(
      transaction,
    )
    await sql`TRUNCATE ONLY ${table}`.execute(transaction)
    // No row comes or goes: what counts rows must not see it.
    await sql`ALTER TABLE ${table} DISABLE TRIGGER USER`.execute(transaction)
    await sql`INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM kept_rows`.execute(
      transaction,
    )
    await sql`ALTER TABLE ${table} ENABLE TRIGGER USER`.execute(transaction)
    return true
  })
  return isDone ?? false
}
