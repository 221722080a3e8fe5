import { sql } from 'kysely'
import type { Connection } from './postgres.ts'

/** What is done by one transaction at a time, whatever node it is on. */
type LockName = 'archive' | 'migrate' | 'upkeep' | 'lanes'

/** The first half of the key of each advisory lock, so that they are told from those of other programs. */
const SPACE = 0x686b6c6e
const NUMBERS: Readonly<Record<LockName, number>> = {
  archive: 1,
  migrate: 2,
  upkeep: 5,
  lanes: 6,
}

/** Waits for the lock. It ends with the transaction. */
export async function lock(transaction: Connection, name: LockName): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${SPACE}::int, ${NUMBERS[name]}::int)`.execute(transaction)
}

/** Whether the lock was free. It is held to the end of the transaction then. */
export async function tryLock(transaction: Connection, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ readonly isHeld: boolean }>`
    SELECT pg_try_advisory_xact_lock(${SPACE}::int, ${NUMBERS[name]}::int) AS "isHeld"`.execute(
    transaction,
  )
  return rows[0]!.isHeld
}
