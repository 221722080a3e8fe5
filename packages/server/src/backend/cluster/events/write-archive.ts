import { type AcceptedEvent, timeOfId } from '@hookline/protocol'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import { jsonToText, toText, toTextOrNull } from '../postgres/text.ts'
import type { Archiving } from '../../events.ts'
import { firstIdAt } from '../../store/rows.ts'
import { eventChecksumOf } from '../event-columns.ts'
import type { ArchiveDecisions, NewEvent } from './decide-archive.ts'
import { arrays } from '../postgres/arrays.ts'

/** Duplicates that are known are forgotten after this time: a chunk of the log is handed out again much sooner. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60 * 1000

/** Writes all of it in one statement. Resolves to the seq of the last event of the archive. */
export async function writeArchive(
  transaction: Transaction<unknown>,
  decisions: ArchiveDecisions,
  positionOf: (event: AcceptedEvent) => number,
): Promise<number> {
  const { news, counted, countedIds, decided } = decisions
  const { rows } = await sql<{ readonly seq: number }>`
    WITH numbered AS (UPDATE archive SET seq = seq + ${news.length}::int RETURNING seq),
      new_events AS (${insertEvents(news, positionOf)}),
      counted AS (
        UPDATE events SET duplicates = events.duplicates + of.duplicates, last_duplicate_at = of.at
        FROM unnest(${arrays.texts(counted.map(({ id }) => id))},
          ${arrays.ints(counted.map(({ duplicates }) => duplicates))},
          ${arrays.bigints(counted.map(({ lastDuplicateAt }) => lastDuplicateAt))}) AS of (id, duplicates, at)
        WHERE events.id = of.id
      ),
      new_duplicates AS (INSERT INTO counted_duplicates SELECT unnest(${arrays.texts(countedIds)})),
      forgotten AS (${forgetDuplicates(countedIds)}),
      declining AS (${insertDeclined(decided)})
    SELECT seq FROM numbered`.execute(transaction)
  return rows[0]!.seq
}

/** Their bodies are one value: an array of bytes would cross as text, at twice the size. */
function insertEvents(
  news: readonly NewEvent[],
  positionOf: (event: AcceptedEvent) => number,
): RawBuilder<unknown> {
  const events = news.map(({ event }) => event)
  const texts = (textOf: (event: AcceptedEvent) => string | null): RawBuilder<unknown> =>
    arrays.texts(events.map(textOf))
  const numbers = (values: readonly (number | null)[]): RawBuilder<unknown> =>
    arrays.bigints(values)
  return sql`
    INSERT INTO events (id, seq, log_position, source_id, message_id, type, user_id, anonymous_id, previous_id,
      received_at, marks, origin, body, rest, checksum, duplicates, last_duplicate_at)
    SELECT id, seq - ${news.length}::int + number, log_position, source_id, message_id, type, user_id, anonymous_id,
      previous_id, received_at, marks, origin,
      substring(${Buffer.concat(events.map(({ body }) => body))}::bytea FROM body_start::int FOR body_bytes::int), rest, checksum,
      duplicates, last_duplicate_at
    FROM numbered, unnest(
      ${texts(({ id }) => id)},
      ${numbers(events.map(positionOf))},
      ${texts(({ sourceId }) => toText(sourceId))},
      ${texts(({ messageId }) => toText(messageId))},
      ${texts(({ type }) => type)},
      ${texts(({ userId }) => toTextOrNull(userId))},
      ${texts(({ anonymousId }) => toTextOrNull(anonymousId))},
      ${texts(({ previousId }) => toTextOrNull(previousId))},
      ${numbers(events.map(({ receivedAt }) => receivedAt))},
      ${texts(({ marks }) => marks.join())},
      ${texts(({ origin }) => (origin === undefined ? null : jsonToText(JSON.stringify(origin))))},
      ${numbers(startsOf(events))},
      ${numbers(events.map(({ body }) => body.length))},
      ${texts(({ rest }) => jsonToText(rest))},
      ${numbers(events.map(eventChecksumOf))},
      ${numbers(news.map(({ duplicates }) => duplicates))},
      ${numbers(news.map(({ lastDuplicateAt }) => lastDuplicateAt))}
    ) WITH ORDINALITY AS new (id, log_position, source_id, message_id, type, user_id, anonymous_id, previous_id,
      received_at, marks, origin, body_start, body_bytes, rest, checksum, duplicates, last_duplicate_at, number)`
}

/** Where each body begins, counted from 1. */
function startsOf(events: readonly AcceptedEvent[]): number[] {
  let start = 1
  return events.map(({ body }) => (start += body.length) - body.length)
}

function insertDeclined(decided: readonly Archiving[]): RawBuilder<unknown> {
  const rows = decided.flatMap(({ event, declined }) =>
    declined.map((decline) => ({ eventId: event.id, ...decline })),
  )
  return sql`
    INSERT INTO declined (event_id, destination_id, reason, since)
    SELECT * FROM unnest(${arrays.texts(rows.map(({ eventId }) => eventId))},
      ${arrays.texts(rows.map(({ destinationId }) => toText(destinationId)))},
      ${arrays.texts(rows.map(({ reason }) => reason))},
      ${arrays.bigints(rows.map(({ since = null }) => since))})
    ON CONFLICT DO NOTHING`
}

/** Twice as many as there are new ones, so that the table does not grow. */
function forgetDuplicates(countedIds: readonly string[]): RawBuilder<unknown> {
  const newest = Math.max(0, ...countedIds.map(timeOfId))
  return sql`
    DELETE FROM counted_duplicates WHERE id IN (
      SELECT id FROM counted_duplicates WHERE id < ${firstIdAt('evt', newest - FORGET_AFTER_MS)}
      ORDER BY id LIMIT ${2 * countedIds.length})`
}
