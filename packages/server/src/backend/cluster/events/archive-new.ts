import type { AcceptedEvent } from '@hookline/protocol'
import { sql } from 'kysely'
import type { Archiving } from '../../events.ts'
import { SLACK_MS } from '../../store/event-order.ts'
import { firstIdAt } from '../../store/rows.ts'
import { eventChecksumOf } from '../event-columns.ts'
import { arrays } from '../postgres/arrays.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { jsonToText, toText, toTextOrNull } from '../postgres/text.ts'
import { namedIds } from './purges-of.ts'

/**
 * How far the clock of a node may be ahead of another one. An event that was received so much later by its own clock is not found as
 * the first one of a duplicate: each partition that might have it would be looked at for each event.
 */
const AHEAD_MS = 2 * 60 * 60 * 1000

export interface ArchiveNewOptions {
  readonly postgres: Postgres
  readonly dedupeWindowMs: number
  readonly positionOf: (event: AcceptedEvent) => number
}

/**
 * Archives events that are all new, in one round trip, as the function `archive_new` of the database does. Resolves to the seq of the
 * last one; to `undefined`, with nothing written, where more is to be decided.
 */
export async function archiveNew(
  entries: readonly Archiving[],
  { postgres, dedupeWindowMs, positionOf }: ArchiveNewOptions,
): Promise<number | undefined> {
  const events = entries.map(({ event }) => event)
  if (!areDistinct(events)) return undefined
  const times = events.map(({ receivedAt }) => receivedAt)
  const [oldest, newest] = [Math.min(...times) - dedupeWindowMs, Math.max(...times)]
  const [row] = await postgres.run(sql<{ readonly seq: number | null }>`
    SELECT archive_new(${columnsOf(events, positionOf)}, ${arrays.texts([...namedIds(events)])},
      ${dedupeWindowMs}::bigint, ${firstIdAt('evt', oldest - SLACK_MS)}::text, ${firstIdAt('evt', newest + AHEAD_MS)}::text, ${declinedOf(entries)}) AS seq`)
  return row!.seq ?? undefined
}

/** Whether no two of them have the same source and messageId: in one call, the database does not look for these. */
function areDistinct(events: readonly AcceptedEvent[]): boolean {
  const keys = new Set(events.map(({ sourceId, messageId }) => `${sourceId} ${messageId}`))
  return keys.size === events.length
}

function columnsOf(events: readonly AcceptedEvent[], positionOf: ArchiveNewOptions['positionOf']) {
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
    texts(({ marks }) => marks.join()),
    texts(({ origin }) => (origin === undefined ? null : jsonToText(JSON.stringify(origin)))),
    arrays.bytes(events.map(({ body }) => body)),
    texts(({ rest }) => jsonToText(rest)),
    arrays.bigints(events.map(eventChecksumOf)),
  ])
}

function declinedOf(entries: readonly Archiving[]) {
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
