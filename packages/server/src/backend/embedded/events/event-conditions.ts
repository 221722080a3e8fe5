import type { DatabaseSync } from 'node:sqlite'
import type { EventFilter } from '../../events.ts'
import { ANONYMOUS_ID } from '../log/event-row.ts'
import { type Conditions, conditionsOf, withoutEmptyTexts } from '../database/conditions.ts'

/** Adds the function `holds`, which the condition on the text needs: lower() of SQLite knows only a to z. */
export function addTextSearch(db: DatabaseSync): void {
  db.function('holds', { deterministic: true }, (text, folded) =>
    Number(String(text).toLowerCase().includes(String(folded))),
  )
}

/** The conditions on rows of `events`, except that on the outcome: `outcomesOf` tells it. */
export function eventConditions(all: EventFilter): Conditions {
  const filter = withoutEmptyTexts(all)
  return conditionsOf([
    ['source_id = ?', filter.sourceId],
    ['message_id = ?', filter.messageId],
    ['type = ?', filter.type],
    ['received_at >= ?', filter.from],
    ['received_at < ?', filter.to],
    ['user_id = ? AND json_valid(body)', filter.userId],
    // Texts as JSON spells them, without the quotes around them. They come first: they save the others from parsing, which
    // takes several times as long.
    ["holds(body || ifnull(rest, ''), ?)", spelled(filter.text)?.toLowerCase()],
    ["instr(body || ifnull(rest, ''), ?)", spelled(filter.anonymousId)],
    ['instr(body, ?)', spelled(filter.event)],
    [`${ANONYMOUS_ID} = ?`, filter.anonymousId],
    ["CASE WHEN json_valid(body) THEN body ->> '$.event' END = ?", filter.event],
  ])
}

function spelled(text: string | undefined): string | undefined {
  return text && JSON.stringify(text).slice(1, -1)
}
