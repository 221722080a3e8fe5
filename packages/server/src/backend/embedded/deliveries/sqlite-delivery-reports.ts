import { type AttemptClass, timeOfId } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type {
  DeliveryReports,
  FailureGroup,
  Failures,
  LaneId,
  WaitingParts,
} from '../../deliveries.ts'
import { numberOrNull, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { destinationsIn, readableWebhooks } from './delivery-sql.ts'
import type { LaneNumbers } from './lane-numbers.ts'

/** Failures of one destination that are counted: the newest. */
const MOST_FAILURES = 2_000
/** Pending parts of one lane among which the oldest is searched: those that have been due the longest. */
const MOST_PENDING = 20_000

const COUNTS = 'SELECT is_held, count FROM waiting_lanes WHERE lane = ?'
const OLDEST = `SELECT MIN(delivery_id) AS id FROM (
  SELECT delivery_id FROM waiting_parts WHERE lane = ? AND due_at IS NOT NULL
  ORDER BY due_at, delivery_id LIMIT ${MOST_PENDING})`

const NEXT_DUE = `SELECT due_at FROM waiting_parts WHERE lane = ? AND due_at IS NOT NULL
  ORDER BY due_at LIMIT 1`

const FAILING = "rounds > 0 AND state <> 'delivered'"

const FAILING_DESTINATIONS = destinationsIn('deliveries', FAILING)

const NEWEST_FAILING = `
  SELECT id, first_due_at, webhooks FROM deliveries
  WHERE ${FAILING} AND destination_id = ? ORDER BY id DESC LIMIT ${MOST_FAILURES + 1}`

const GROUPS = `
  SELECT webhook.value ->> '$.last.class' AS class, webhook.value ->> '$.last.status' AS status,
    COUNT(DISTINCT failing.id) AS count, MIN(first_due_at) AS first_seen,
    MAX(webhook.value ->> '$.last.startedAt') AS last_seen, MAX(failing.id) AS sample
  FROM (${NEWEST_FAILING}) AS failing, json_each(${readableWebhooks('failing')}) AS webhook
  WHERE webhook.value ->> '$.last.outcome' <> 'delivered'
  GROUP BY class, status`

/** Reports on the table `deliveries` and its partial indexes. */
export class SqliteDeliveryReports implements DeliveryReports {
  readonly #lanes: LaneNumbers
  readonly #statements: Statements

  constructor(lanes: LaneNumbers, reader: DatabaseSync) {
    this.#lanes = lanes
    this.#statements = new Statements(reader)
  }

  async failures({ destinationId }: { readonly destinationId?: string }): Promise<Failures> {
    const ids = destinationId === undefined ? this.#failingDestinations() : [destinationId]
    const groups = ids.flatMap((id) =>
      this.#statements.all(GROUPS, [id]).map((row) => groupOf(id, row)),
    )
    return {
      groups: groups.toSorted((a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt),
      isComplete: ids.every(
        (id) => this.#statements.all(NEWEST_FAILING, [id]).length <= MOST_FAILURES,
      ),
    }
  }

  async waitingIn(lane: LaneId): Promise<WaitingParts> {
    const number = this.#lanes.find('deliveries', lane)
    if (number === undefined) return { pending: 0, held: 0, oldestAt: undefined, dueAt: undefined }
    const counts = this.#statements.all(COUNTS, [number])
    const count = (isHeld: 0 | 1): number =>
      Number(counts.find((row) => row['is_held'] === isHeld)?.['count'] ?? 0)
    const [pending, held] = [count(0), count(1)]
    if (pending === 0) return { pending, held, oldestAt: undefined, dueAt: undefined }
    const id = this.#statements.all(OLDEST, [number])[0]?.['id']
    const dueAt = this.#statements.all(NEXT_DUE, [number])[0]?.['due_at']
    return {
      pending,
      held,
      oldestAt: typeof id === 'string' ? timeOfId(id) : undefined,
      dueAt: dueAt === undefined ? undefined : Number(dueAt),
    }
  }

  #failingDestinations(): string[] {
    return this.#statements.all(FAILING_DESTINATIONS, []).map(({ id }) => String(id))
  }
}

function groupOf(destinationId: string, row: Row): FailureGroup {
  return {
    destinationId,
    class: row['class'] as AttemptClass,
    status: numberOrNull(row['status']),
    count: Number(row['count']),
    firstSeenAt: Number(row['first_seen']),
    lastSeenAt: Number(row['last_seen']),
    sampleDeliveryId: String(row['sample']),
  }
}
