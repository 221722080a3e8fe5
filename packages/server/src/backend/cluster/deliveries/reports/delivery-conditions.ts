import { idFrom, timeOfId } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { DeliveryFilter } from '../../../deliveries.ts'

/** Conditions that are joined by AND. */
export type Conditions = RawBuilder<boolean>

/** The conditions that an index finds, or that hold for nearly every row: a page looks only at rows that meet them. */
export function indexedConditions(filter: DeliveryFilter): Conditions {
  const { eventId, destinationId } = filter
  const [least, beyond] = deliveryIdsIn(filter)
  return all([
    sql<boolean>`deliveries.id >= ${least} AND deliveries.id < ${beyond}`,
    eventId ? sql<boolean>`deliveries.event_id = ${eventId}` : undefined,
    destinationId ? sql<boolean>`deliveries.destination_id = ${destinationId}` : undefined,
  ])
}

/** The other conditions; `undefined` where there are none. */
export function otherConditions({
  state,
  waiting,
  class: lastClass,
  status,
}: DeliveryFilter): Conditions | undefined {
  const isQuarantined = lastClass === 'quarantined'
  const part = [
    lastClass && !isQuarantined ? sql<boolean>`${CLASS_OF_PART} = ${lastClass}` : undefined,
    status === undefined
      ? undefined
      : sql<boolean>`part.value -> 'last' ->> 'status' = ${String(status)}`,
  ].filter((each) => each !== undefined)
  const conditions = [
    state ? sql<boolean>`deliveries.state = ${state}` : undefined,
    isQuarantined ? sql<boolean>`deliveries.state = 'quarantined'` : undefined,
    waiting === undefined ? undefined : sql<boolean>`deliveries.is_waiting = ${waiting}`,
    part.length === 0
      ? undefined
      : sql<boolean>`EXISTS (
          SELECT 1 FROM json_array_elements(deliveries.webhooks::json) AS part WHERE ${all(part)})`,
  ].filter((each) => each !== undefined)
  return conditions.length === 0 ? undefined : all(conditions)
}

/**
 * The class of a part, the row `part`: that of its last attempt, or `not_attempted`. NULL for one that is yet to be attempted.
 */
export const CLASS_OF_PART = sql<string | null>`COALESCE(part.value -> 'last' ->> 'class',
  CASE part.value ->> 'state' WHEN 'expired' THEN 'not_attempted' END)`

function all(conditions: readonly (Conditions | undefined)[]): Conditions {
  return sql<boolean>`${sql.join(
    conditions.filter((each) => each !== undefined),
    sql` AND `,
  )}`
}

const LEAST = new Uint8Array(10)

/**
 * The first id that may meet the filter, and one beyond the last. The id of a delivery begins with the time in the id of its
 * event, so few partitions are looked at.
 */
function deliveryIdsIn({ eventId, from, to }: DeliveryFilter): readonly [string, string] {
  const idAt = (ms: number): string => idFrom('msg', Math.max(0, ms), LEAST)
  if (eventId) return [idAt(timeOfId(eventId)), idAt(timeOfId(eventId) + 1)]
  return [from === undefined ? 'msg_' : idAt(from), to === undefined ? 'msg_~' : idAt(to)]
}
