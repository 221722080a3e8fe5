import type { AcceptedEvent } from '@hookline/protocol'
import type { StoredEvent } from '../../stopped-data.ts'
import { eventChecksumOf } from '../event-columns.ts'
import { jsonToText, toText, toTextOrNull } from '../postgres/text.ts'
import { columnsOf, type TargetTable, type Value } from './moved-tables.ts'

/** The archive. An event keeps its number, so that followers go on where they were. */
export const MOVED_EVENTS: TargetTable = {
  into: 'events',
  columns: columnsOf(
    'id text, seq bigint, log_position bigint, source_id text, message_id text, type text, user_id text, anonymous_id text, ' +
      'previous_id text, received_at bigint, marks text, origin text, body bytea, rest text, checksum bigint, duplicates int, last_duplicate_at bigint',
  ),
}

/** The values of those columns. Positions in the stream are larger than those in a file. */
export function eventValues(
  { seq, duplicates, lastDuplicateAt }: StoredEvent,
  event: AcceptedEvent,
): readonly Value[] {
  const { id, sourceId, messageId, type, userId, anonymousId, previousId } = event
  const { receivedAt, marks, origin, body, rest } = event
  return [
    id,
    seq,
    seq,
    toText(sourceId),
    toText(messageId),
    type,
    toTextOrNull(userId),
    toTextOrNull(anonymousId),
    toTextOrNull(previousId),
    receivedAt,
    marks.join(),
    origin === undefined ? null : jsonToText(JSON.stringify(origin)),
    Buffer.from(body),
    jsonToText(rest),
    eventChecksumOf(event),
    duplicates,
    lastDuplicateAt,
  ]
}
