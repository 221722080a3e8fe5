import { sql } from 'kysely'
import type { Erasing } from './erasing.ts'
import { whenFree } from './when-free.ts'

/**
 * Writes the rows of a table to a new file. VACUUM FULL would also copy what was removed, if any transaction may still see it;
 * this copies what is there. Resolves to whether it did.
 */
export async function rewriteTable(erasing: Erasing, name: string): Promise<boolean> {
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
