import { sql } from 'kysely'
import type { Connection } from '../postgres/postgres.ts'
import type { ReadLogState } from './log-state.ts'

/** How far retention may go. */
export interface Reach {
  /** The seq that every follower of the archive has reached; `Infinity` where there is no follower. */
  readonly through: number
  /** Everything that is before this position of the log is acked. */
  readonly ackedBefore: number
  /** Everything that was received before this time is acked. */
  readonly ackedUntil: number
}

/** Followers and the consumer only go forward, so what this returns stays true. */
export async function readReach(db: Connection, log: ReadLogState): Promise<Reach> {
  const [{ undecided, ackedBefore }, { rows }] = await Promise.all([
    log(),
    sql<{ readonly through: number | null }>`SELECT min(through) AS through FROM cursors`.execute(
      db,
    ),
  ])
  return {
    through: rows[0]!.through ?? Infinity,
    ackedBefore,
    ackedUntil: undecided.oldestAt ?? Infinity,
  }
}
