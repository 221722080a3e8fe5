import { sql } from 'kysely'
import { BackendUnavailable } from '../../backend.ts'
import type { Clock } from '../../../util/time/clock.ts'
import { pause } from '../../../util/time/pause.ts'
import type { Postgres } from './postgres.ts'

const EVERY_MS = 500

/** Resolves when PostgreSQL responds to this node, or `signal` aborts. */
export async function untilAvailable(
  postgres: Postgres,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await postgres.run(sql`SELECT 1`)
      return
    } catch (error) {
      if (!(error instanceof BackendUnavailable)) throw error
      await pause(clock, EVERY_MS, signal)
    }
  }
}
