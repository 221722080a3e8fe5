import {
  type AcceptedEvent,
  type Event,
  isJsonObject,
  type JsonObject,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import type { Row } from '../database/rows.ts'
import type { EventRow } from './write-log.ts'

/** The columns that `acceptedEventOf` reads. */
export const EVENT_COLUMNS = 'events.id AS id, source_id, marks, origin, body'

export function eventRowOf({ id, sourceId, event, marks, origin }: AcceptedEvent): EventRow {
  const { messageId, type, userId = null, previousId = null } = event
  const receivedAt = Date.parse(event.receivedAt)
  const body = JSON.stringify(event)
  const from = origin === undefined ? null : JSON.stringify(origin)
  return [id, sourceId, messageId, type, receivedAt, marks.join(), body, userId, previousId, from]
}

/** @throws {SyntaxError} where the body or the origin is damaged and no longer a JSON object */
export function acceptedEventOf(row: Row): AcceptedEvent {
  const marks = String(row['marks'])
  const accepted = {
    id: String(row['id']),
    sourceId: String(row['source_id']),
    event: objectIn(row['body']) as unknown as Event,
    marks: marks === '' ? [] : (marks.split(',') as Mark[]),
  }
  const origin = row['origin']
  return origin === null ? accepted : { ...accepted, origin: objectIn(origin) as unknown as Origin }
}

/** The event of a row; `undefined` where it is damaged. */
export function readableEventOf(row: Row): AcceptedEvent | undefined {
  try {
    return acceptedEventOf(row)
  } catch {
    return undefined
  }
}

function objectIn(text: unknown): JsonObject {
  const parsed: unknown = JSON.parse(String(text))
  if (!isJsonObject(parsed)) throw new SyntaxError('It is no JSON object.')
  return parsed
}
