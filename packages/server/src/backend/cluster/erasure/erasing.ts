import type { Clock } from '../../../util/time/clock.ts'
import type { Postgres } from '../postgres/postgres.ts'

/** What the parts of an erasing need. */
export interface Erasing {
  readonly postgres: Postgres
  readonly clock: Clock
  /** Aborts when it is to stop. */
  readonly signal: AbortSignal
}
