import {
  type AcceptedEvent,
  type EventType,
  jsonObjectIn,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { SerialisedEvent } from '../../accepted-event.ts'
import { fromText } from './text.ts'

/** The columns of `events` that an event is made of. */
export interface EventRow {
  readonly id: string
  readonly log_position: number
  readonly source_id: string
  readonly message_id: string
  readonly type: string
  readonly user_id: string | null
  readonly previous_id: string | null
  readonly received_at: number
  readonly marks: string
  readonly origin: string | null
  readonly body: Buffer
  readonly rest: string
}

/** The columns of an `EventRow`, of a table or alias named `events`. */
export const EVENT_COLUMNS = sql.raw(
  [
    'id',
    'log_position',
    'source_id',
    'message_id',
    'type',
    'user_id',
    'previous_id',
    'received_at',
    'marks',
    'origin',
    'body',
    'rest',
  ]
    .map((name) => `events.${name}`)
    .join(', '),
)

/**
 * The condition that an id that a client has sent is this one. An index has only how such ids begin, because there is no limit
 * to their length.
 */
export function isId(
  column: 'message_id' | 'user_id' | 'anonymous_id' | 'previous_id',
  id: string | RawBuilder<unknown>,
): RawBuilder<boolean> {
  const named = sql.ref(`events.${column}`)
  return sql<boolean>`(left(${named}, 500) = left(${id}, 500) AND ${named} = ${id})`
}

/** The event of a row. */
export function eventOf(row: EventRow): AcceptedEvent {
  const event = new SerialisedEvent({
    id: row.id,
    sourceId: fromText(row.source_id),
    messageId: fromText(row.message_id),
    type: row.type as EventType,
    userId: textOf(row.user_id),
    previousId: textOf(row.previous_id),
    receivedAt: row.received_at,
    marks: row.marks === '' ? [] : (row.marks.split(',') as Mark[]),
    origin: row.origin === null ? undefined : (jsonObjectIn(row.origin) as unknown as Origin),
    body: row.body,
    rest: row.rest,
  })
  positions.set(event, row.log_position)
  return event
}

/** Of the events that were made of rows, as long as the process has them. */
const positions = new WeakMap<object, number>()

/** The position in the log of an event that was made of a row; `undefined` of another one. */
export function archivedPositionOf(event: object): number | undefined {
  return positions.get(event)
}

function textOf(stored: string | null): string | undefined {
  return stored === null ? undefined : fromText(stored)
}
