import { sql } from 'kysely'
import type { Connection } from './postgres.ts'

/** What is done by one transaction at a time, whatever node it is on. */
export type LockName = 'archive' | 'migrate' | 'catalog' | 'suppressions'

/** The first half of the key of each advisory lock, so that they are told from those of other programs. */
const SPACE = 0x686b6c6e
const NUMBERS: Readonly<Record<LockName, number>> = {
  archive: 1,
  migrate: 2,
  catalog: 3,
  suppressions: 4,
}

/** Waits for the lock. It ends with the transaction. */
export async function lock(transaction: Connection, name: LockName): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${SPACE}::int, ${NUMBERS[name]}::int)`.execute(transaction)
}
