import type { AcceptedEvent } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import { fromText, toText } from '../postgres/text.ts'

interface PurgeRow {
  readonly kind: string
  readonly id: string
  /** Empty for every source. */
  readonly source_id: string
  /** `null`: it is a suppression, which covers every event of a client. */
  readonly through: number | null
}

type Positioned = (event: AcceptedEvent) => number

/**
 * Looks up the purges and the suppressions of the users of these events. Returns whether one of them covers an event. Ingestion
 * of another node may have let an event through while it did not know of a suppression yet, even after the purge that followed.
 */
export async function purgesOf(
  transaction: Transaction<unknown>,
  events: readonly AcceptedEvent[],
  positionOf: Positioned,
): Promise<(event: AcceptedEvent) => boolean> {
  const ids = new Set(events.flatMap((event) => idsOf(event).map(([, id]) => toText(id))))
  const { rows } = await sql<PurgeRow>`
    SELECT kind, id, source_id, max(through) AS through FROM purged_ids
    WHERE id = ANY(${[...ids]}::text[]) GROUP BY kind, id, source_id
    UNION ALL SELECT kind, user_id, source_id, NULL FROM suppressions
    WHERE user_id = ANY(${[...ids]}::text[])`.execute(transaction)
  if (rows.length === 0) return () => false
  const byId = Map.groupBy(rows, ({ kind, id }) => `${kind} ${fromText(id)}`)
  return (event) =>
    idsOf(event)
      .flatMap(([kind, id]) => byId.get(`${kind} ${id}`) ?? [])
      .some((purge) => covers(purge, event, positionOf))
}

/** The ids that a purge may name. An alias call names a former id of either kind. */
function idsOf({ userId, previousId, anonymousId }: AcceptedEvent): (readonly [string, string])[] {
  const ids = [
    ['user', userId],
    ['user', previousId],
    ['anonymous', anonymousId],
    ['anonymous', previousId],
  ] as const
  return ids.flatMap(([kind, id]) => (id === undefined ? [] : [[kind, id] as const]))
}

function covers(
  { source_id: sourceId, through }: PurgeRow,
  event: AcceptedEvent,
  positionOf: Positioned,
): boolean {
  const isComputed = event.origin !== undefined
  const isOfSource = sourceId === '' || fromText(sourceId) === event.sourceId
  if (through === null) return isOfSource && !isComputed
  // A computed event may tell of events of any source.
  return (isOfSource || isComputed) && positionOf(event) <= through
}
