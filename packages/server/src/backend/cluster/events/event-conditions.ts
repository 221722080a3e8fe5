import type { AcceptedEvent } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { textOf } from '../../accepted-event.ts'
import type { EventFilter } from '../../events.ts'
import { isId } from '../postgres/event-rows.ts'
import { toText } from '../postgres/text.ts'
import { leastIdAt, SLACK_MS } from './known-events.ts'

/** A filter in SQL. */
export interface EventConditions {
  /** Which rows an index leads to, in the order of the list. */
  readonly indexed: RawBuilder<boolean>
  /** Which of those may meet the filter: all that do, and a few others. */
  readonly where: RawBuilder<boolean>
  /** Whether an event that may meet the filter does. */
  readonly isMet: (event: AcceptedEvent) => boolean
}

/** The conditions on rows of `events`, except that on the outcome: `outcomesOf` tells it. */
export function eventConditions(filter: EventFilter): EventConditions {
  const { sourceId, messageId, type, userId, anonymousId, event, from, to, text } = filter
  const folded = text && spelled(text).toLowerCase()
  return {
    indexed: all([
      from !== undefined &&
        sql`events.received_at >= ${from} AND events.id >= ${leastIdAt(from - SLACK_MS)}`,
      to !== undefined &&
        sql`events.received_at < ${to} AND events.id < ${leastIdAt(to + SLACK_MS)}`,
      messageId && isId('message_id', toText(messageId)),
      userId && isId('user_id', toText(userId)),
      anonymousId && isId('anonymous_id', toText(anonymousId)),
    ]),
    where: all([
      sourceId && sql`source_id = ${toText(sourceId)}`,
      type && sql`type = ${type}`,
      event && sql`position(${Buffer.from(spelled(event))}::bytea IN body) > 0`,
      folded && sql`(convert_from(body, 'UTF8') || rest) ILIKE ${patternOf(folded)} COLLATE "C"`,
    ]),
    isMet: (accepted) =>
      (!event || accepted.event.event === event) &&
      (!folded || (textOf(accepted.body) + accepted.rest).toLowerCase().includes(folded)),
  }
}

function all(conditions: readonly (RawBuilder<unknown> | false | '' | undefined)[]) {
  const used = conditions.filter((condition) => !!condition)
  return used.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(used, sql` AND `)}`
}

/** A text as JSON spells it, without the quotes around it. */
function spelled(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/**
 * Finds every text that has the folded one. PostgreSQL folds only ASCII in this collation, so that any text may be in place of
 * other letters, and of those of ASCII that another letter is folded to.
 */
function patternOf(folded: string): string {
  return `%${folded.replaceAll(/[\\%_]/g, '\\$&').replaceAll(/[^\p{ASCII}]|[ik]/gu, '%')}%`
}
