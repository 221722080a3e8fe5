import type { AcceptedEvent } from '@hookline/protocol'
import { CHECKSUM_MISMATCH, checksumOf } from '../../util/event-checksum.ts'
import { type EventHead, eventOf } from '../accepted-event.ts'

/** A row of `events`, with the body as bytes. Corrupt values may have other types, but then the checksum differs. */
type EventRow = Readonly<Record<string, unknown>>

/** @throws {SyntaxError} if the event is corrupt */
export function eventOfRow(row: EventRow): AcceptedEvent {
  const { body: stored, anonymous_id: anonymousId } = row
  const body =
    stored instanceof Uint8Array
      ? Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
      : Buffer.from(String(stored))
  const head = headOf(row)
  // Only PostgreSQL has this column.
  const columns = anonymousId === undefined ? head : [...head, textOrNull(anonymousId)]
  if (row['checksum'] !== checksumOf(columns, body)) throw new SyntaxError(CHECKSUM_MISMATCH)
  return eventOf(head, body)
}

export function readableEventOf(row: EventRow): AcceptedEvent | undefined {
  try {
    return eventOfRow(row)
  } catch {
    return undefined
  }
}

function headOf(row: EventRow): EventHead {
  return [
    String(row['id']),
    String(row['source_id']),
    String(row['message_id']),
    String(row['type']),
    Number(row['received_at']),
    String(row['warnings']),
    textOrNull(row['user_id']),
    textOrNull(row['previous_id']),
    textOrNull(row['origin']),
    String(row['rest']),
  ]
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
