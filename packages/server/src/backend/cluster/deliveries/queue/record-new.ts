import { type RawBuilder, sql } from 'kysely'
import type { RecordedDelivery } from '../../../deliveries.ts'
import { arrays } from '../../postgres/arrays.ts'
import { isWaiting } from './queue-table.ts'
import type { StoredParts } from '../../../store/stored-parts.ts'

/**
 * Whether a record may be the first and the last one of its delivery: it has ended, without a failed attempt. Most are so.
 */
export function isNewAndEnded({ delivery, attempts, claimed = [] }: RecordedDelivery): boolean {
  const { replayId, dueAt } = delivery
  const isFirst = replayId === undefined && claimed.length === 0
  return (
    isFirst &&
    dueAt === null &&
    !isWaiting(delivery) &&
    attempts.every(({ outcome }) => outcome === 'delivered')
  )
}

/** Records such deliveries, as the function `record_new` of the database does: it returns the ids of those that were new. */
export function recordNewStatement(
  records: readonly RecordedDelivery[],
  parts: StoredParts,
): RawBuilder<{ readonly id: string }> {
  // In the order in which every transaction locks them.
  const all = records
    .map(({ delivery }) => delivery)
    .toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1))
  return sql`SELECT record_new(
    ${arrays.texts(all.map(({ id }) => id))}, ${arrays.texts(all.map(({ eventId }) => eventId))},
    ${arrays.texts(all.map(({ destinationId }) => destinationId))}, ${arrays.texts(all.map(({ state }) => state))},
    ${arrays.ints(all.map(({ rounds }) => rounds))}, ${arrays.bigints(all.map(({ firstDueAt }) => firstDueAt))},
    ${arrays.texts(all.map((delivery) => parts.textOf(delivery)))}) AS id`
}
