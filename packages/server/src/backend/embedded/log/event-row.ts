import {
  type AcceptedEvent,
  type EventType,
  jsonObjectIn,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { crc32 } from 'node:zlib'
import { SerialisedEvent } from '../../accepted-event.ts'
import type { Row } from '../database/rows.ts'

/** The columns of an event as it is appended, without its number, which the writer's thread gives, and its body. */
export type EventHead = readonly [
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
  /** JSON: the fields of the event that its body does not have. */
  rest: string,
]

/** Inserts `seq`, an `EventHead`, the body and their checksum. */
export const INSERT_EVENT = `INSERT INTO events
  (seq, id, source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, body, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)`

/** What `acceptedEventOf` reads beside the id. The bytes of the body, because nobody on the way to a receiver reads its text. */
export const EVENT_FIELDS =
  'source_id, message_id, type, received_at, marks, user_id, previous_id, origin, rest, CAST(body AS BLOB) AS body, checksum'

/** The columns that `acceptedEventOf` reads. */
export const EVENT_COLUMNS = `events.id AS id, ${EVENT_FIELDS}`

/** The JSON that has the anonymousId: the payload of an alias call has none. */
const WITH_ANONYMOUS_ID = `iif(type = 'alias', rest, body)`

/** The anonymousId of an event. */
export const ANONYMOUS_ID = `CASE WHEN json_valid(${WITH_ANONYMOUS_ID}) THEN ${WITH_ANONYMOUS_ID} ->> '$.anonymousId' END`

export function eventHeadOf(accepted: AcceptedEvent): EventHead {
  const { id, sourceId, messageId, type, receivedAt, marks, origin, rest } = accepted
  const { userId = null, previousId = null } = accepted
  const from = origin === undefined ? null : JSON.stringify(origin)
  const ids = [id, sourceId, messageId] as const
  return [...ids, type, receivedAt, marks.join(), userId, previousId, from, rest]
}

/** The checksum of what `acceptedEventOf` reads, so that it finds a byte that the disk has changed. */
export function checksumOf(head: EventHead, body: Uint8Array): number {
  return crc32(body, crc32(head.join('\n')))
}

/** @throws {SyntaxError} where the event is damaged */
export function acceptedEventOf(row: Row): AcceptedEvent {
  const [head, body] = storedOf(row)
  if (row['checksum'] !== checksumOf(head, body))
    throw new SyntaxError('It has another checksum than when it was stored.')
  return eventOf(head, body)
}

/** The event that was appended with these columns and this body. */
export function eventOf(head: EventHead, body: Uint8Array): AcceptedEvent {
  const [id, sourceId, messageId, type, receivedAt, marked, userId, previousId, from, rest] = head
  const marks = marked === '' ? NO_MARKS : (marked.split(',') as Mark[])
  const origin = from === null ? undefined : (jsonObjectIn(from) as unknown as Origin)
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

const NO_MARKS: readonly Mark[] = []

/** The event of a row; `undefined` where it is damaged. */
export function readableEventOf(row: Row): AcceptedEvent | undefined {
  try {
    return acceptedEventOf(row)
  } catch {
    return undefined
  }
}

/** The event as it was appended. A damaged row may have values of other types: then its checksum is another one. */
function storedOf(row: Row): [EventHead, Buffer] {
  const { body } = row
  return [
    [
      String(row['id']),
      String(row['source_id']),
      String(row['message_id']),
      String(row['type']),
      Number(row['received_at']),
      String(row['marks']),
      textOrNull(row['user_id']),
      textOrNull(row['previous_id']),
      textOrNull(row['origin']),
      String(row['rest']),
    ],
    body instanceof Uint8Array
      ? Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      : Buffer.from(String(body)),
  ]
}

function textOrNull(value: Row[string] | undefined): string | null {
  return value === null || value === undefined ? null : String(value)
}
