import {
  type AcceptedEvent,
  type EventType,
  jsonObjectIn,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { sql } from 'kysely'
import { SerialisedEvent } from '../../accepted-event.ts'
import { fromText } from './text.ts'

/** The columns of `events` that an event is made of. */
export interface EventRow {
  readonly id: string
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

/** The event of a row. */
export function eventOf(row: EventRow): AcceptedEvent {
  return new SerialisedEvent({
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
}

function textOf(stored: string | null): string | undefined {
  return stored === null ? undefined : fromText(stored)
}
