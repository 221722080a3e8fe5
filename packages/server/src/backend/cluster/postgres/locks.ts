import { sql } from 'kysely'
import type { Connection } from './postgres.ts'

/** Work limited to one transaction at a time per cluster. */
type LockName = 'archive' | 'migrate' | 'upkeep' | 'lanes'

/** The first half of each key avoids collisions with locks of other programs. */
const SPACE = 0x686b6c6e
const NUMBERS: Readonly<Record<LockName, number>> = {
  archive: 1,
  migrate: 2,
  upkeep: 5,
  lanes: 6,
}

/** Waits for the lock, held until the transaction ends. */
export async function lock(transaction: Connection, name: LockName): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${SPACE}::int, ${NUMBERS[name]}::int)`.execute(transaction)
}

/** Takes the lock if it is free. Returns whether it was. */
export async function tryLock(transaction: Connection, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ readonly isHeld: boolean }>`
    SELECT pg_try_advisory_xact_lock(${SPACE}::int, ${NUMBERS[name]}::int) AS "isHeld"`.execute(
    transaction,
  )
  return rows[0]!.isHeld
}
