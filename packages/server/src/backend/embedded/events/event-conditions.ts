import type { DatabaseSync } from 'node:sqlite'
import type { EventFilter } from '../../events.ts'
import { type Conditions, conditionsOf, withoutEmptyTexts } from '../database/conditions.ts'

/** Adds the function `folded`, which the condition on the text needs: lower() of SQLite knows only a to z. */
export function addFolding(db: DatabaseSync): void {
  db.function('folded', { deterministic: true }, (text) => String(text).toLowerCase())
}

/** The conditions on rows of `events`. */
export function eventConditions(all: EventFilter): Conditions {
  const filter = withoutEmptyTexts(all)
  return conditionsOf([
    ['source_id = ?', filter.sourceId],
    ['message_id = ?', filter.messageId],
    ['type = ?', filter.type],
    ['received_at >= ?', filter.from],
    ['received_at < ?', filter.to],
    ['user_id = ? AND json_valid(body)', filter.userId],
    // The text as JSON spells it, without the quotes around it. Comes first, because it saves the others from parsing.
    ['instr(folded(body), folded(?)) > 0', filter.text && JSON.stringify(filter.text).slice(1, -1)],
    [field('anonymousId'), filter.anonymousId],
    [field('event'), filter.event],
  ])
}

function field(name: string): string {
  return `CASE WHEN json_valid(body) THEN body ->> '$.${name}' END = ?`
}
