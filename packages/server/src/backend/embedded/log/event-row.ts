import {
  type AcceptedEvent,
  type Event,
  type EventType,
  jsonObjectIn,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { crc32 } from 'node:zlib'
import { acceptedEvent, SerialisedEvent, textOf } from '../../accepted-event.ts'
import type { Row } from '../database/rows.ts'

/** A row of `events` as it is appended. The writer's thread numbers it. */
export type EventRow = readonly [
  id: string,
  sourceId: string,
  messageId: string,
  type: string,
  receivedAt: number,
  marks: string,
  userId: string | null,
  previousId: string | null,
  /** JSON; `null` for an event of a client. */
  origin: string | null,
  /** JSON; `null` for an event that a version before schema 18 stored: its body has all of its fields. */
  rest: string | null,
  /** JSON: the body of its webhook requests. */
  body: Uint8Array,
]

const COLUMNS =
  'id, source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, body'

/** Inserts `seq`, an `EventRow` and its checksum. */
export const INSERT_EVENT = `INSERT INTO events (seq, ${COLUMNS}, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)`

/** What `acceptedEventOf` reads beside the id. The bytes of the body, because nobody on the way to a receiver reads its text. */
export const EVENT_FIELDS =
  'source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, CAST(body AS BLOB) AS body, checksum'

/** The columns that `acceptedEventOf` reads. */
export const EVENT_COLUMNS = `events.id AS id, ${EVENT_FIELDS}`

/** The JSON that has the anonymousId: the payload of an alias call has none. */
const WITH_ANONYMOUS_ID = `iif(type = 'alias' AND rest IS NOT NULL, rest, body)`

/** The anonymousId of an event. */
export const ANONYMOUS_ID = `CASE WHEN json_valid(${WITH_ANONYMOUS_ID}) THEN ${WITH_ANONYMOUS_ID} ->> '$.anonymousId' END`

export function eventRowOf(accepted: AcceptedEvent): EventRow {
  const { id, sourceId, messageId, type, receivedAt, marks, origin, rest, body } = accepted
  const { userId = null, previousId = null } = accepted
  const from = origin === undefined ? null : JSON.stringify(origin)
  const ids = [id, sourceId, messageId] as const
  return [...ids, type, receivedAt, marks.join(), userId, previousId, from, rest, body]
}

/** The checksum of what `acceptedEventOf` reads, so that it finds a byte that the disk has changed. */
export function checksumOf(row: EventRow): number {
  const [id, sourceId, , , , marks, , , origin, rest, body] = row
  const head = rest === null ? [id, sourceId, marks, origin, ''] : row.slice(0, -1)
  return crc32(body, crc32(head.join('\n')))
}

/** @throws {SyntaxError} where the event is damaged */
export function acceptedEventOf(row: Row): AcceptedEvent {
  const stored = storedRowOf(row)
  // Events from before there were checksums have none.
  const expected = row['checksum'] ?? null
  if (expected !== null && expected !== checksumOf(stored))
    throw new SyntaxError('It has another checksum than when it was stored.')
  const [id, sourceId, messageId, type, receivedAt, marked, userId, previousId, from, rest, body] =
    stored
  const marks = marked === '' ? [] : (marked.split(',') as Mark[])
  const origin = from === null ? undefined : (jsonObjectIn(from) as unknown as Origin)
  if (rest === null) {
    const event = jsonObjectIn(textOf(body)) as unknown as Event
    return acceptedEvent({ id, sourceId, event, marks, ...(origin && { origin }) })
  }
  return new SerialisedEvent({
    id,
    sourceId,
    messageId,
    type: type as EventType,
    receivedAt,
    userId: userId ?? undefined,
    previousId: previousId ?? undefined,
    marks,
    origin,
    rest,
    body,
  })
}

/** The event of a row; `undefined` where it is damaged. */
export function readableEventOf(row: Row): AcceptedEvent | undefined {
  try {
    return acceptedEventOf(row)
  } catch {
    return undefined
  }
}

/** The row as it was appended. A damaged one may have values of other types: then its checksum is another one. */
function storedRowOf(row: Row): EventRow {
  const { body, received_at: receivedAt } = row
  return [
    String(row['id']),
    String(row['source_id']),
    String(row['message_id']),
    String(row['type']),
    Number(receivedAt),
    String(row['marks']),
    textOrNull(row['user_id']),
    textOrNull(row['previous_id']),
    textOrNull(row['origin']),
    textOrNull(row['rest']),
    body instanceof Uint8Array
      ? Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      : Buffer.from(String(body)),
  ]
}

function textOrNull(value: Row[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}
