import { type AcceptedEvent, timeOfId } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import { type Subject, subjectsOf } from '../../deletions.ts'
import type { EventToArchive } from '../../events.ts'
import { SLACK_MS } from '../../store/event-order.ts'
import { StoredEvents } from '../../store/events.ts'
import { idBound } from '../../store/rows.ts'
import { arrays } from '../postgres/arrays.ts'
import { EVENT_COLUMN_NAMES, eventChecksumOf, isId } from '../postgres/event-rows.ts'
import { lock } from '../postgres/locks.ts'
import { PostgresReads } from '../postgres/postgres-store.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText, jsonToText, toText, toTextOrNull } from '../postgres/text.ts'
import { type ArchiveDecisions, decideArchive, type KnownEvent } from './decide-archive.ts'

/** Returns the position of an event in the log. */
type PositionOf = (event: AcceptedEvent) => number

interface PostgresEventsOptions {
  readonly postgres: Postgres
  readonly dedupeWindowMs: number
  readonly positionOf: PositionOf
  /** Called with events that are not archived because a purge covers them. */
  readonly onRefused: (events: readonly AcceptedEvent[]) => void
  /** Called with the last seq after new events were archived. */
  readonly onArchived: (seq: number) => void
}

/** Archive calls run one at a time across the cluster, so deduplication is exact, and seq is in the order of commits. */
export class PostgresEvents extends StoredEvents {
  readonly #options: PostgresEventsOptions

  constructor(options: PostgresEventsOptions) {
    super(new PostgresReads(options.postgres))
    this.#options = options
  }

  async archive(entries: readonly EventToArchive[]): Promise<ReadonlySet<string>> {
    if (entries.length === 0) return new Set()
    const newSeq = await archiveNew(entries, this.#options)
    const { duplicates, seq } =
      newSeq === undefined
        ? await this.#archiveAny(entries)
        : { duplicates: new Set<string>(), seq: newSeq }
    if (seq !== undefined) this.#options.onArchived(seq)
    return duplicates
  }

  /** Resolves to the ids of duplicates, and to the last seq if any event is new. */
  #archiveAny(entries: readonly EventToArchive[]) {
    const { postgres, dedupeWindowMs, positionOf, onRefused } = this.#options
    const events = entries.map(({ event }) => event)
    return postgres.write(async (transaction) => {
      await lock(transaction, 'archive')
      const known = await knownEvents(transaction, events, dedupeWindowMs)
      const isPurged = await purgesOf(transaction, events, positionOf)
      onRefused(events.filter(isPurged))
      const decisions = decideArchive(entries, { known, isPurged, dedupeWindowMs })
      const { newEvents, countedIds, decided, duplicates } = decisions
      if (newEvents.length + countedIds.length + decided.length === 0)
        return { duplicates, seq: undefined }
      const seq = await writeArchive(transaction, decisions, positionOf)
      return { duplicates, seq: newEvents.length === 0 ? undefined : seq }
    })
  }
}

/**
 * The maximum lead of a node's clock. Originals further ahead are not found, because more
 * partitions would have to be searched.
 */
const AHEAD_MS = 2 * 60 * 60 * 1000

/** Archives events in one round trip. Resolves to the last seq; to `undefined`, without writing, if an event might not be new. */
async function archiveNew(
  entries: readonly EventToArchive[],
  { postgres, dedupeWindowMs, positionOf }: PostgresEventsOptions,
): Promise<number | undefined> {
  const events = entries.map(({ event }) => event)
  // `archive_new` does not compare the events with each other.
  const keys = new Set(events.map(({ sourceId, messageId }) => `${sourceId} ${messageId}`))
  if (keys.size < events.length) return undefined
  const times = events.map(({ receivedAt }) => receivedAt)
  const [oldest, newest] = [Math.min(...times) - dedupeWindowMs, Math.max(...times)]
  const [row] = await postgres.run(sql<{ readonly seq: number | null }>`
    SELECT archive_new(${eventArrays(events, positionOf)}, ${arrays.texts([...namedIds(events)])},
      ${dedupeWindowMs}::bigint, ${idBound('evt', oldest - SLACK_MS)}::text, ${idBound('evt', newest + AHEAD_MS)}::text,
      ${declinedArrays(entries)}) AS seq`)
  return row!.seq ?? undefined
}

/** The values of `EVENT_COLUMN_NAMES`. */
function eventArrays(events: readonly AcceptedEvent[], positionOf: PositionOf) {
  const texts = (textOf: (event: AcceptedEvent) => string | null) =>
    arrays.texts(events.map(textOf))
  return sql.join([
    texts(({ id }) => id),
    arrays.bigints(events.map(positionOf)),
    texts(({ sourceId }) => toText(sourceId)),
    texts(({ messageId }) => toText(messageId)),
    texts(({ type }) => type),
    texts(({ userId }) => toTextOrNull(userId)),
    texts(({ anonymousId }) => toTextOrNull(anonymousId)),
    texts(({ previousId }) => toTextOrNull(previousId)),
    arrays.bigints(events.map(({ receivedAt }) => receivedAt)),
    texts(({ warnings }) => warnings.join()),
    texts(({ origin }) => (origin === undefined ? null : jsonToText(JSON.stringify(origin)))),
    arrays.bytes(events.map(({ body }) => body)),
    texts(({ rest }) => jsonToText(rest)),
    arrays.bigints(events.map(eventChecksumOf)),
  ])
}

/** The values of the columns of `declined`. */
function declinedArrays(entries: readonly EventToArchive[]) {
  const rows = entries.flatMap(({ event, declined }) =>
    declined.map((decline) => ({ eventId: event.id, ...decline })),
  )
  return sql.join([
    arrays.texts(rows.map(({ eventId }) => eventId)),
    arrays.texts(rows.map(({ destinationId }) => toText(destinationId))),
    arrays.texts(rows.map(({ reason }) => reason)),
    arrays.bigints(rows.map(({ since = null }) => since)),
  ])
}

/** Looks up the events, in order. */
async function knownEvents(
  transaction: Transaction<unknown>,
  events: readonly AcceptedEvent[],
  dedupeWindowMs: number,
): Promise<readonly KnownEvent[]> {
  const oldest = Math.min(...events.map(({ receivedAt }) => receivedAt)) - dedupeWindowMs
  const { rows } = await sql<KnownEvent>`
    SELECT
      EXISTS (SELECT FROM events WHERE events.id = new.id) AS "isArchived",
      EXISTS (SELECT FROM counted_duplicates AS counted WHERE counted.id = new.id) AS "isCounted",
      first.id AS original
    FROM unnest(
      ${arrays.texts(events.map(({ id }) => id))},
      ${arrays.texts(events.map(({ sourceId }) => toText(sourceId)))},
      ${arrays.texts(events.map(({ messageId }) => toText(messageId)))},
      ${arrays.bigints(events.map(({ receivedAt }) => receivedAt - dedupeWindowMs))}
    ) WITH ORDINALITY AS new (id, source_id, message_id, since, number)
    LEFT JOIN LATERAL (
      SELECT events.id FROM events
      WHERE ${isId('message_id', sql`new.message_id`)} AND events.source_id = new.source_id
        AND events.received_at >= new.since AND events.id >= ${idBound('evt', oldest - SLACK_MS)}
      ORDER BY events.received_at, events.seq LIMIT 1
    ) AS first ON true
    ORDER BY new.number`.execute(transaction)
  return rows
}

interface PurgeRow {
  readonly kind: string
  readonly id: string
  /** Empty for every source. */
  readonly source_id: string
  /** `null`: a suppression, which covers all of the user's events. */
  readonly through: number | null
}

/** Returns whether a purge or a suppression covers an event: a node may accept events before it has the suppression. */
async function purgesOf(
  transaction: Transaction<unknown>,
  events: readonly AcceptedEvent[],
  positionOf: PositionOf,
): Promise<(event: AcceptedEvent) => boolean> {
  const ids = arrays.texts([...namedIds(events)])
  const { rows } = await sql<PurgeRow>`
    SELECT kind, id, source_id, max(through) AS through FROM purged_ids
    WHERE id = ANY(${ids}) GROUP BY kind, id, source_id
    UNION ALL SELECT kind, user_id, source_id, NULL FROM suppressions WHERE user_id = ANY(${ids})`.execute(
    transaction,
  )
  const byId = Map.groupBy(rows, ({ kind, id }) => `${kind} ${fromText(id)}`)
  const rowsOf = (subjects: readonly Subject[]): PurgeRow[] =>
    subjects.flatMap(({ kind, id }) => byId.get(`${kind} ${id}`) ?? [])
  return (event) =>
    rowsOf(idsOf(event)).some((purge) => isPurgedBy(purge, event, positionOf)) ||
    rowsOf(subjectsOf(event)).some((suppression) => isSuppressedBy(suppression, event))
}

/** The stored form of all ids by which purges and suppressions may name these events. */
function namedIds(events: readonly AcceptedEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => idsOf(event).map(({ id }) => toText(id))))
}

/** The ids by which a purge may name the event. An alias call has a former id of either kind. */
function idsOf({ userId, previousId, anonymousId }: AcceptedEvent): Subject[] {
  const ids = [
    ['user', userId],
    ['user', previousId],
    ['anonymous', anonymousId],
    ['anonymous', previousId],
  ] as const
  return ids.flatMap(([kind, id]) => (id === undefined ? [] : { kind, id }))
}

function isPurgedBy(
  { source_id: sourceId, through }: PurgeRow,
  event: AcceptedEvent,
  positionOf: PositionOf,
): boolean {
  // A computed event may contain data from any source.
  const isOfSource = isOf(sourceId, event) || event.origin !== undefined
  return isOfSource && through !== null && positionOf(event) <= through
}

/** Ingestion applies the same rule. */
function isSuppressedBy({ source_id: sourceId, through }: PurgeRow, event: AcceptedEvent): boolean {
  return through === null && event.origin === undefined && isOf(sourceId, event)
}

function isOf(sourceId: string, event: AcceptedEvent): boolean {
  return sourceId === '' || fromText(sourceId) === event.sourceId
}

/** How long counted duplicates are remembered. The log redelivers chunks much sooner. */
const FORGET_AFTER_MS = 7 * 24 * 60 * 60 * 1000

/** Writes all decisions in one statement. Resolves to the last seq. */
async function writeArchive(
  transaction: Transaction<unknown>,
  { newEvents, counted, countedIds, decided }: ArchiveDecisions,
  positionOf: PositionOf,
): Promise<number> {
  const events = newEvents.map(({ event }) => event)
  const columns = sql`${EVENT_COLUMN_NAMES}, duplicates, last_duplicate_at`
  const newest = Math.max(0, ...countedIds.map(timeOfId))
  const { rows } = await sql<{ readonly seq: number }>`
    WITH numbered AS (UPDATE archive SET seq = seq + ${newEvents.length}::int RETURNING seq),
      new_events AS (
        INSERT INTO events (seq, ${columns}) SELECT seq - ${newEvents.length}::int + number, ${columns}
        FROM numbered, unnest(${eventArrays(events, positionOf)},
          ${arrays.ints(newEvents.map(({ duplicates }) => duplicates))},
          ${arrays.bigints(newEvents.map(({ lastDuplicateAt }) => lastDuplicateAt))}) WITH ORDINALITY AS new (${columns}, number)
      ),
      counted AS (
        UPDATE events SET duplicates = events.duplicates + of.duplicates, last_duplicate_at = of.at
        FROM unnest(${arrays.texts(counted.map(({ id }) => id))},
          ${arrays.ints(counted.map(({ duplicates }) => duplicates))},
          ${arrays.bigints(counted.map(({ lastDuplicateAt }) => lastDuplicateAt))}) AS of (id, duplicates, at)
        WHERE events.id = of.id
      ),
      new_duplicates AS (INSERT INTO counted_duplicates SELECT unnest(${arrays.texts(countedIds)})),
      -- Twice the number of new ones, so the table does not grow.
      forgotten AS (
        DELETE FROM counted_duplicates WHERE id IN (
          SELECT id FROM counted_duplicates WHERE id < ${idBound('evt', newest - FORGET_AFTER_MS)}
          ORDER BY id LIMIT ${2 * countedIds.length})
      ),
      declining AS (
        INSERT INTO declined (event_id, destination_id, reason, since)
        SELECT * FROM unnest(${declinedArrays(decided)}) ON CONFLICT DO NOTHING
      )
    SELECT seq FROM numbered`.execute(transaction)
  return rows[0]!.seq
}
