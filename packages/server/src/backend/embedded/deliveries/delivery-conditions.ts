import { timeOfId } from '@hookline/protocol'
import type { DeliveryFilter } from '../../deliveries.ts'
import {
  type Conditions,
  conditionsOf,
  leastIdAt,
  withoutEmptyTexts,
} from '../database/conditions.ts'
import { classOfPart, readableWebhooks } from './delivery-sql.ts'

/** The conditions on rows of `deliveries`, except those on the time: `deliveryIdsIn` has them. */
export function deliveryConditions(all: DeliveryFilter): Conditions {
  const filter = withoutEmptyTexts(all)
  const isQuarantined = filter.class === 'quarantined'
  const part = conditionsOf([
    [`${classOfPart()} = ?`, isQuarantined ? undefined : filter.class],
    ["value ->> '$.last.status' = ?", filter.status],
  ])
  const rest = conditionsOf([
    ['event_id = ?', filter.eventId],
    ['destination_id = ?', filter.destinationId],
    ['state = ?', filter.state],
    ['state = ?', isQuarantined ? filter.class : undefined],
    ['is_waiting = ?', filter.waiting === undefined ? undefined : Number(filter.waiting)],
  ])
  if (part.values.length === 0) return rest
  const webhooks = `SELECT 1 FROM json_each(${readableWebhooks()}) WHERE TRUE${part.where}`
  return {
    where: `${rest.where} AND EXISTS (${webhooks})`,
    values: [...rest.values, ...part.values],
  }
}

/**
 * The first id that may meet the filter, and one beyond the last. The id of a delivery begins with the time in
 * the id of its event, so that no index by event or time is needed.
 */
export function deliveryIdsIn({ eventId, from, to }: DeliveryFilter): readonly [string, string] {
  const idAt = (ms: number): string => leastIdAt('msg', ms)
  if (eventId !== undefined) return [idAt(timeOfId(eventId)), idAt(timeOfId(eventId) + 1)]
  return [from === undefined ? 'msg_' : idAt(from), to === undefined ? 'msg_~' : idAt(to)]
}
