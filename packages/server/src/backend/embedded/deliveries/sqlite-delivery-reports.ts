import { type DeliveryClass, timeOfId } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type {
  DeliveryReports,
  FailureGroup,
  Failures,
  LaneId,
  WaitingParts,
} from '../../deliveries.ts'
import { numberOrNull, type Row, timeOf } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Readers } from '../readers.ts'
import { destinationsIn } from './delivery-sql.ts'
import type { StoredLanes } from './stored-lanes.ts'
import { FAILING } from './read-failures.ts'

/** Pending parts of one lane among which the oldest is searched: those that have been due the longest. */
const MOST_PENDING = 20_000

const COUNTS = 'SELECT is_held, count FROM waiting_lanes WHERE lane = ?'
const OLDEST = `SELECT MIN(delivery_id) AS id FROM (
  SELECT delivery_id FROM waiting_parts WHERE lane = ? AND due_at IS NOT NULL
  ORDER BY due_at, delivery_id LIMIT ${MOST_PENDING})`

const NEXT_DUE = `SELECT due_at FROM waiting_parts WHERE lane = ? AND due_at IS NOT NULL
  ORDER BY due_at LIMIT 1`

const FAILING_DESTINATIONS = destinationsIn('deliveries', FAILING)

/** Reports on the table `deliveries` and its partial indexes. */
export class SqliteDeliveryReports implements DeliveryReports {
  readonly #lanes: StoredLanes
  readonly #statements: Statements
  readonly #readers: Readers

  constructor(lanes: StoredLanes, reader: DatabaseSync, readers: Readers) {
    this.#lanes = lanes
    this.#readers = readers
    this.#statements = new Statements(reader)
  }

  async failures({ destinationId }: { readonly destinationId?: string }): Promise<Failures> {
    const ids = destinationId === undefined ? await this.#failingDestinations() : [destinationId]
    const groups: FailureGroup[] = []
    let isComplete = true
    for (const id of ids) {
      const failures = await this.#readers.run('failuresOf', id)
      groups.push(...failures.groups.map((row) => groupOf(id, row)))
      isComplete &&= failures.isComplete
    }
    return {
      groups: groups.toSorted((a, b) => b.count - a.count || b.lastSeenAt - a.lastSeenAt),
      isComplete,
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
    const [oldest] = await this.#readers.run('select', { sql: OLDEST, values: [number] })
    const id = oldest?.['id']
    const dueAt = this.#statements.all(NEXT_DUE, [number])[0]?.['due_at']
    return {
      pending,
      held,
      oldestAt: typeof id === 'string' ? timeOfId(id) : undefined,
      dueAt: dueAt === undefined ? undefined : Number(dueAt),
    }
  }

  async #failingDestinations(): Promise<string[]> {
    const rows = await this.#readers.run('select', { sql: FAILING_DESTINATIONS, values: [] })
    return rows.map(({ id }) => String(id))
  }
}

function groupOf(destinationId: string, row: Row): FailureGroup {
  const sample = String(row['sample']).slice(1)
  const space = sample.indexOf(' ')
  return {
    destinationId,
    class: row['class'] as DeliveryClass,
    status: numberOrNull(row['status']),
    count: Number(row['count']),
    firstSeenAt: timeOf(timeOfId(String(row['first_id']))),
    lastSeenAt: timeOf(row['last_seen']),
    sampleDeliveryId: sample.slice(0, space),
    lastError: sample.slice(space + 1) || null,
  }
}
