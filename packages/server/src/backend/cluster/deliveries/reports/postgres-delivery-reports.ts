import { timeOfId } from '@hookline/protocol'
import { sql } from 'kysely'
import type {
  DeliveryReports,
  FailureGroup,
  Failures,
  LaneId,
  WaitingParts,
} from '../../../deliveries.ts'
import type { Postgres } from '../../postgres/postgres.ts'
import type { PostgresLanes } from '../rows/postgres-lanes.ts'
import { failingDestinations, failuresOf } from './read-failures.ts'

/** Pending parts of one lane among which the oldest is searched: those that have been due the longest. */
const MOST_PENDING = 20_000
/**
 * Parts of one lane that are counted, pending and held ones each. There is no counter: every record of the lane would wait for
 * its row.
 */
const MOST_COUNTED = 250_000

interface WaitingRow {
  readonly pending: number
  readonly held: number
  readonly oldest: string | null
  readonly due_at: number | null
}

/** Reports on the table `deliveries` and its partial indexes, and on the index of what waits. */
export class PostgresDeliveryReports implements DeliveryReports {
  readonly #postgres: Postgres
  readonly #lanes: PostgresLanes

  constructor(postgres: Postgres, lanes: PostgresLanes) {
    this.#postgres = postgres
    this.#lanes = lanes
  }

  async failures({ destinationId }: { readonly destinationId?: string }): Promise<Failures> {
    return this.#postgres.read(async (db) => {
      const ids = destinationId === undefined ? await failingDestinations(db) : [destinationId]
      const groups: FailureGroup[] = []
      let isComplete = true
      for (const id of ids) {
        const failures = await failuresOf(db, id)
        groups.push(...failures.groups)
        isComplete &&= failures.isComplete
      }
      return {
        groups: groups.toSorted((a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt),
        isComplete,
      }
    })
  }

  async waitingIn(lane: LaneId): Promise<WaitingParts> {
    const number = await this.#lanes.find('deliveries', lane)
    if (number === undefined) return { pending: 0, held: 0, oldestAt: undefined, dueAt: undefined }
    const inLane = sql`FROM waiting_parts WHERE lane = ${number}`
    const [row] = await this.#postgres.run(sql<WaitingRow>`
      SELECT
        (SELECT count(*) FROM (SELECT ${inLane} AND due_at IS NOT NULL LIMIT ${MOST_COUNTED}) AS counted) AS pending,
        (SELECT count(*) FROM (SELECT ${inLane} AND due_at IS NULL LIMIT ${MOST_COUNTED}) AS counted) AS held,
        (SELECT min(delivery_id) FROM (SELECT delivery_id ${inLane} AND due_at IS NOT NULL
          ORDER BY due_at, delivery_id LIMIT ${MOST_PENDING}) AS counted) AS oldest,
        (SELECT due_at ${inLane} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1) AS due_at`)
    return {
      pending: row!.pending,
      held: row!.held,
      oldestAt: row!.oldest === null ? undefined : timeOfId(row!.oldest),
      dueAt: row!.due_at ?? undefined,
    }
  }
}
