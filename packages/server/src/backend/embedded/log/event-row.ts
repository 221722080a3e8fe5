import type { AcceptedEvent } from '@hookline/protocol'
import { CHECKSUM_MISMATCH, checksumOf } from '../../../util/event-checksum.ts'
import { type EventHead, eventOf } from '../../event-head.ts'
import type { Row } from '../database/rows.ts'

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

/** @throws {SyntaxError} where the event is damaged */
export function acceptedEventOf(row: Row): AcceptedEvent {
  const [head, body] = storedOf(row)
  if (row['checksum'] !== checksumOf(head, body)) throw new SyntaxError(CHECKSUM_MISMATCH)
  return eventOf(head, body)
}

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
