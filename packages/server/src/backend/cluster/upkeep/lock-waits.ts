import { sql, type Transaction } from 'kysely'

/** How long a change of partitions may wait for a table: each later statement on the table waits behind it. */
const MOST_WAIT_MS = 150
/** lock_not_available */
const LOCK_TIMEOUT = '55P03'

/** From now on, the transaction ends with an error instead of waiting for a lock for long. */
export async function limitLockWaits(transaction: Transaction<unknown>): Promise<void> {
  await sql`SELECT set_config('lock_timeout', ${`${MOST_WAIT_MS}ms`}, true)`.execute(transaction)
}

/** Whether a transaction has ended because of that. It has changed nothing. */
export function isLockTimeout(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return cause?.code === LOCK_TIMEOUT
}
