import { type AcceptedEvent, type Event, isJsonObject, type Mark } from '@hookline/protocol'
import type { Row } from '../database/rows.ts'
import type { EventRow } from './write-log.ts'

/** The columns that `acceptedEventOf` reads. */
export const EVENT_COLUMNS = 'events.id AS id, source_id, marks, body'

export function eventRowOf(seq: number, { id, sourceId, event, marks }: AcceptedEvent): EventRow {
  const { messageId, type, userId = null, previousId = null } = event
  const receivedAt = Date.parse(event.receivedAt)
  const body = JSON.stringify(event)
  return [seq, id, sourceId, messageId, type, receivedAt, marks.join(), body, userId, previousId]
}

/** @throws {SyntaxError} where the body is damaged and no longer a JSON object */
export function acceptedEventOf(row: Row): AcceptedEvent {
  const marks = String(row['marks'])
  const event: unknown = JSON.parse(String(row['body']))
  if (!isJsonObject(event)) throw new SyntaxError('The call is no JSON object.')
  return {
    id: String(row['id']),
    sourceId: String(row['source_id']),
    event: event as unknown as Event,
    marks: marks === '' ? [] : (marks.split(',') as Mark[]),
  }
}
