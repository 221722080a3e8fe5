import { sql, type Transaction } from 'kysely'
import { BackendUnavailable } from '../../backend.ts'
import type { Clock } from '../../../util/time/clock.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { isLockTimeout } from '../upkeep/lock-waits.ts'

/** How long a try waits for a table: each later statement on the table waits behind it. */
const WAIT_MS = 150
/** Each fifth try waits longer than `deadlock_timeout`, which is a second: then PostgreSQL ends an autovacuum in its way. */
const LONG_WAIT_MS = 1_500
const LONG_EVERY = 5
/** Tries before it says that the table is in use, and the pause after each: about eight seconds. */
const TRIES = 12
const PAUSE_MS = 250

export interface Erasing {
  readonly postgres: Postgres
  readonly clock: Clock
  /** Aborts when it is to stop. */
  readonly signal: AbortSignal
}

type Work<T> = (transaction: Transaction<unknown>) => Promise<T>

/**
 * Runs a transaction that needs a table for itself, again where others have it for longer. Resolves to `undefined` where it
 * is told to stop.
 */
export async function whenFree<T>(
  { postgres, clock, signal }: Erasing,
  table: string,
  work: Work<T>,
): Promise<T | undefined> {
  for (let tries = 1; !signal.aborted; tries++) {
    const waitMs = tries % LONG_EVERY === 0 ? LONG_WAIT_MS : WAIT_MS
    try {
      return await postgres.writeSlowly(async (transaction) => {
        await sql`SELECT set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(transaction)
        return work(transaction)
      })
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (tries === TRIES)
        throw new BackendUnavailable(`The table ${table} is being read at length, as for a copy.`, {
          cause: error,
        })
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve))
  }
  return undefined
}
