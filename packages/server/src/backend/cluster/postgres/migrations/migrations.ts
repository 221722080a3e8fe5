import { deliveries } from './0002-deliveries.ts'
import { events } from './0001-events.ts'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** Numbered from 1 without gaps. */
  readonly version: number
  readonly sql: string
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: events },
  { version: 2, sql: deliveries },
]
