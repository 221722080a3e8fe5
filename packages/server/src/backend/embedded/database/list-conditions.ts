import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { DeliveryFilter } from '../../deliveries.ts'
import type { EventFilter } from '../../events.ts'

/** Conditions of a SELECT, each beginning with AND, and their values in order. */
export interface Conditions {
  readonly where: string
  readonly values: readonly SQLInputValue[]
}

/** The webhooks of a delivery as JSON, also where the row is damaged. */
export const READABLE_WEBHOOKS = "CASE WHEN json_valid(webhooks) THEN webhooks ELSE '[]' END"

const field = (name: string): string =>
  `CASE WHEN json_valid(body) THEN body ->> '$.${name}' END = ?`

/** Gives the conditions what they use of ours: SQLite's own lower() knows no letters beyond a to z. */
export function addFolding(db: DatabaseSync): void {
  db.function('folded', { deterministic: true }, (text) => String(text).toLowerCase())
}

/** The conditions on rows of `events`. */
export function eventConditions(filter: EventFilter): Conditions {
  return conditionsOf([
    ['source_id = ?', filter.sourceId],
    ['message_id = ?', filter.messageId],
    ['type = ?', filter.type],
    ['received_at >= ?', filter.from],
    ['received_at < ?', filter.to],
    ['user_id = ? AND json_valid(body)', filter.userId],
    // The text as JSON spells it, without the quotes around. First, for it spares the others parsing.
    ['instr(folded(body), folded(?)) > 0', filter.text && JSON.stringify(filter.text).slice(1, -1)],
    [field('anonymousId'), filter.anonymousId],
    [field('event'), filter.event],
  ])
}

/** The conditions on rows of `deliveries`, but for those on the time, which is in the id. */
export function deliveryConditions(filter: DeliveryFilter): Conditions {
  const answer = conditionsOf([
    ["value ->> '$.last.class' = ?", filter.class],
    ["value ->> '$.last.status' = ?", filter.status],
  ])
  const rest = conditionsOf([
    ['event_id = ?', filter.eventId],
    ['destination_id = ?', filter.destinationId],
    ['state = ?', filter.state],
  ])
  if (answer.values.length === 0) return rest
  const exists = ` AND EXISTS (SELECT 1 FROM json_each(${READABLE_WEBHOOKS}) WHERE TRUE${answer.where})`
  return { where: rest.where + exists, values: [...rest.values, ...answer.values] }
}

function conditionsOf(
  all: readonly (readonly [sql: string, value: string | number | undefined])[],
): Conditions {
  const given = all.filter((each) => each[1] !== undefined && each[1] !== '')
  return {
    where: given.map(([sql]) => ` AND ${sql}`).join(''),
    values: given.map(([, value]) => value!),
  }
}
