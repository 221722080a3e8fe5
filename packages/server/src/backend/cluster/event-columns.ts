import type { AcceptedEvent } from '@hookline/protocol'
import { CHECKSUM_MISMATCH, checksumOf } from '../../util/event-checksum.ts'
import { SerialisedEvent } from '../accepted-event.ts'
import { type EventHead, eventHeadOf, eventOf } from '../event-head.ts'

/** The columns of an event, with the anonymousId: purges look for it, and no node parses the body to find it. */
export type EventColumns = readonly [...EventHead, anonymousId: string | null]

export function eventColumnsOf(event: AcceptedEvent): EventColumns {
  return [...eventHeadOf(event), event.anonymousId ?? null]
}

/** The checksum of the columns and the body. An event from the log has it already. */
export function eventChecksumOf(event: AcceptedEvent): number {
  const known = event instanceof SerialisedEvent ? event.checksum : undefined
  return known ?? checksumOf(eventColumnsOf(event), event.body)
}

/**
 * The event that was stored with this checksum, in a message of the log or in PostgreSQL.
 * @throws {SyntaxError} if the checksum does not match, or the origin is no JSON object
 */
export function storedEventOf(
  columns: EventColumns,
  body: Uint8Array,
  checksum: number,
): AcceptedEvent {
  if (checksumOf(columns, body) !== checksum) throw new SyntaxError(CHECKSUM_MISMATCH)
  const [, , , , , , , , , , anonymousId] = columns
  return eventOf(columns, body, anonymousId === null ? {} : { anonymousId }, checksum)
}
