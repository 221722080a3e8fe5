import { newRows } from './0013-new-rows.ts'
import { configuration } from './0007-configuration.ts'
import { deletions } from './0005-deletions.ts'
import { deliveries } from './0002-deliveries.ts'
import { events } from './0001-events.ts'
import { leases } from './0004-leases.ts'
import { profiles } from './0003-profiles.ts'
import { upkeep } from './0006-upkeep.ts'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** Numbered from 1 without gaps. */
  readonly version: number
  readonly sql: string
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: events },
  { version: 2, sql: deliveries },
  { version: 3, sql: profiles },
  { version: 4, sql: leases },
  { version: 5, sql: deletions },
  { version: 6, sql: upkeep },
  { version: 7, sql: configuration },
  { version: 8, sql: newRows },
]
