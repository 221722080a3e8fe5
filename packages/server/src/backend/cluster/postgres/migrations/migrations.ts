import { newRows } from './0010-new-rows.ts'
import { configuration } from './0007-configuration.ts'
import { dataMove } from './0009-data-move.ts'
import { deletions } from './0005-deletions.ts'
import { deliveries } from './0002-deliveries.ts'
import { erasure } from './0011-erasure.ts'
import { events } from './0001-events.ts'
import { leases } from './0004-leases.ts'
import { nodes } from './0008-nodes.ts'
import { profiles } from './0003-profiles.ts'
import { upkeep } from './0006-upkeep.ts'

/** One step of the schema. There is no way back, and a released step never changes. */
export interface Migration {
  /** In their order, from 1. */
  readonly version: number
  readonly sql: string
  /**
   * The version of the schema whose nodes run on this one as well. Without it, none but those that know this step. A step that
   * only adds what others need not write names the version before it. What nobody uses any more is removed by a step of a later
   * release, which then names the version that stopped to use it.
   */
  readonly worksFrom?: number
}

export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: events },
  { version: 2, sql: deliveries },
  { version: 3, sql: profiles },
  { version: 4, sql: leases },
  { version: 5, sql: deletions },
  { version: 6, sql: upkeep },
  { version: 7, sql: configuration },
  { version: 8, sql: nodes },
  { version: 9, sql: dataMove },
  { version: 10, sql: newRows },
  { version: 11, sql: erasure },
]
