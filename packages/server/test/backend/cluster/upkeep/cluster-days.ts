import type { AcceptedEvent } from '@hookline/protocol'
import { formatTimestamp } from '@hookline/protocol'
import { Postgres } from '../../../../src/backend/cluster/postgres/postgres.ts'
import { DAY_MS, dayOf } from '../../../../src/backend/days.ts'
import { createDay } from '../../../../src/backend/cluster/upkeep/partitions.ts'
import type { Backend } from '../../../../src/backend/backend.ts'
import type { RemovalSlice } from '../../../../src/backend/upkeep.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import { deliveryId } from '../../../../src/delivery/sending/webhook-request.ts'
import { type ClusterHarness, openClusterHarness } from '../open-cluster-harness.ts'

/** A cluster with a partition for one past day, and helpers to fill it. */
export class ClusterDays implements AsyncDisposable {
  /** Noon of the day, in milliseconds since the epoch. */
  readonly noon: number
  /** The end of the day. */
  readonly after: number
  readonly harness: ClusterHarness
  readonly postgres: Postgres

  private constructor(harness: ClusterHarness, daysAgo: number) {
    this.harness = harness
    this.postgres = new Postgres({ url: harness.options.databaseUrl })
    const day = dayOf(Date.now()) - daysAgo
    this.noon = (day + 0.5) * DAY_MS
    this.after = (day + 1) * DAY_MS
  }

  static async open(daysAgo = 10): Promise<ClusterDays> {
    const days = new ClusterDays(await openClusterHarness(), daysAgo)
    await days.postgres.write((transaction) => createDay(transaction, dayOf(days.noon)))
    return days
  }

  get backend(): Backend {
    return this.harness.backend
  }

  sql(text: string): Promise<readonly Record<string, unknown>[]> {
    return this.harness.sql(text)
  }

  /** The name of the partition of `table`. */
  partition(table: string): string {
    return `${table}_${new Date(this.noon).toISOString().slice(0, 10).replaceAll('-', '')}`
  }

  /** Archives events for the day. */
  async archive(count: number, at = this.noon): Promise<readonly AcceptedEvent[]> {
    const events = Array.from({ length: count }, () =>
      acceptedEvent({ at, receivedAt: formatTimestamp(at) }),
    )
    await this.backend.events.archive(events.map((event) => ({ event, declined: [] })))
    return events
  }

  /** Stores a delivery of the event with a failed attempt. Returns the id of the delivery. */
  async deliver(event: AcceptedEvent, state: 'pending' | 'delivered'): Promise<string> {
    const id = deliveryId(event.id, 'dst_a')
    await this.sql(`INSERT INTO deliveries
      (id, event_id, destination_id, state, attempt_count, first_due_at, due_at, webhooks, is_waiting)
      VALUES ('${id}', '${event.id}', 'dst_a', '${state}', 1, 1, 1, '[]', ${state === 'pending'});
      INSERT INTO attempts (delivery_id, id, document, has_body) VALUES ('${id}', 'att_1', '{}', false);
      INSERT INTO declined (event_id, destination_id, reason) VALUES ('${event.id}', 'dst_b', 'integrations')`)
    return id
  }

  async count(table: string): Promise<number> {
    const [row] = await this.sql(`SELECT count(*)::int AS count FROM ${table}`)
    return row!['count'] as number
  }

  async has(partition: string): Promise<boolean> {
    const [row] = await this.sql(`SELECT to_regclass('${partition}') IS NOT NULL AS is_there`)
    return row!['is_there'] as boolean
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.postgres[Symbol.asyncDispose]()
    await this.harness[Symbol.asyncDispose]()
  }
}

/** Removes old events slice by slice. Returns the number of removed events. */
export async function removeAll({ upkeep }: Backend, slice: RemovalSlice): Promise<number> {
  let removed = 0
  for (let cursor: string | null | undefined; cursor !== null;) {
    const removal = await upkeep.removeOldest({ ...slice, ...(cursor && { cursor }) })
    removed += removal.removed
    cursor = removal.cursor
  }
  return removed
}
