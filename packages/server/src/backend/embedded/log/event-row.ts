import {
  type AcceptedEvent,
  type Event,
  isJsonObject,
  type JsonObject,
  type Mark,
  type Origin,
} from '@hookline/protocol'
import { crc32 } from 'node:zlib'
import type { Row } from '../database/rows.ts'

/** A row of `events` as it is appended. The writer's thread numbers it. */
export type EventRow = readonly [
  id: string,
  sourceId: string,
  messageId: string,
  type: string,
  receivedAt: number,
  marks: string,
  body: string,
  userId: string | null,
  previousId: string | null,
  /** JSON; `null` for an event of a client. */
  origin: string | null,
]

/** The columns that `acceptedEventOf` reads. */
export const EVENT_COLUMNS = 'events.id AS id, source_id, marks, origin, body, checksum'

export function eventRowOf({ id, sourceId, event, marks, origin }: AcceptedEvent): EventRow {
  const { messageId, type, userId = null, previousId = null } = event
  const receivedAt = Date.parse(event.receivedAt)
  const body = JSON.stringify(event)
  const from = origin === undefined ? null : JSON.stringify(origin)
  return [id, sourceId, messageId, type, receivedAt, marks.join(), body, userId, previousId, from]
}

/** The checksum of what `acceptedEventOf` reads, so that it finds a byte that the disk has changed. */
export function checksumOf([id, sourceId, , , , marks, body, , , origin]: EventRow): number {
  return checksum(id, sourceId, marks, origin, body)
}

function checksum(...columns: readonly unknown[]): number {
  return crc32(columns.join('\n'))
}

/** @throws {SyntaxError} where the event is damaged */
export function acceptedEventOf(row: Row): AcceptedEvent {
  const { id, source_id: sourceId, body } = row
  // Events from before there were checksums have none.
  const expected = row['checksum'] ?? null
  if (expected !== null && expected !== checksum(id, sourceId, row['marks'], row['origin'], body))
    throw new SyntaxError('It has another checksum than when it was stored.')
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
