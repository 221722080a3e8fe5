import type { AcceptedEvent } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { CHECKSUM_MISMATCH, checksumOf } from '../../../util/event-checksum.ts'
import {
  type EventHead,
  eventHeadOf,
  eventOf as eventOfHead,
  SerialisedEvent,
} from '../../accepted-event.ts'
import { fromText } from './text.ts'

export interface EventRow {
  readonly id: string
  readonly log_position: number
  readonly source_id: string
  readonly message_id: string
  readonly type: string
  readonly user_id: string | null
  readonly anonymous_id: string | null
  readonly previous_id: string | null
  readonly received_at: number
  readonly warnings: string
  readonly origin: string | null
  readonly body: Buffer
  readonly rest: string
  readonly checksum: number
}

const COLUMNS =
  'id log_position source_id message_id type user_id anonymous_id previous_id received_at warnings origin body rest checksum'.split(
    ' ',
  )

export const EVENT_COLUMN_NAMES = sql.raw(COLUMNS.join(', '))

/** The column names, qualified by the table or alias `events`. */
export const EVENT_COLUMNS = sql.raw(COLUMNS.map((name) => `events.${name}`).join(', '))

/** SQL: the column equals this client-sent id. Only a prefix is indexed, because ids have no maximum length. */
export function isId(
  column: 'message_id' | 'user_id' | 'anonymous_id' | 'previous_id',
  id: string | RawBuilder<unknown>,
): RawBuilder<boolean> {
  const named = sql.ref(`events.${column}`)
  return sql<boolean>`(left(${named}, 500) = left(${id}, 500) AND ${named} = ${id})`
}

/** @throws {SyntaxError} if the row has been changed since it was written */
export function eventOf(row: EventRow): AcceptedEvent {
  const head = [
    row.id,
    fromText(row.source_id),
    fromText(row.message_id),
    row.type,
    row.received_at,
    row.warnings,
    textOf(row.user_id),
    textOf(row.previous_id),
    textOf(row.origin),
    fromText(row.rest),
    textOf(row.anonymous_id),
  ] as const
  const event = storedEventOf(head, row.body, row.checksum)
  positions.set(event, row.log_position)
  return event
}

const positions = new WeakMap<object, number>()

/** The log position of an event that was read from a row. */
export function archivedPositionOf(event: object): number | undefined {
  return positions.get(event)
}

function textOf(stored: string | null): string | null {
  return stored === null ? null : fromText(stored)
}

/** The columns of an event. With the anonymousId, so that purges find it without parsing bodies. */
export type EventColumns = readonly [...EventHead, anonymousId: string | null]

export function eventColumnsOf(event: AcceptedEvent): EventColumns {
  return [...eventHeadOf(event), event.anonymousId ?? null]
}

/** The checksum of the columns and the body. Events from the log already have it. */
export function eventChecksumOf(event: AcceptedEvent): number {
  const known = event instanceof SerialisedEvent ? event.checksum : undefined
  return known ?? checksumOf(eventColumnsOf(event), event.body)
}

/** The stored event with this checksum. @throws {SyntaxError} if the checksum differs, or the origin is not a JSON object */
export function storedEventOf(
  columns: EventColumns,
  body: Uint8Array,
  checksum: number,
): AcceptedEvent {
  if (checksumOf(columns, body) !== checksum) throw new SyntaxError(CHECKSUM_MISMATCH)
  const [, , , , , , , , , , anonymousId] = columns
  return eventOfHead(columns, body, anonymousId === null ? {} : { anonymousId }, checksum)
}
