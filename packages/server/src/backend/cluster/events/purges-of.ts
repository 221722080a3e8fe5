import type { AcceptedEvent } from '@hookline/protocol'
import { sql, type Transaction } from 'kysely'
import type { Subject } from '../../deletions.ts'
import { subjectsOf } from '../../subjects-of.ts'
import { fromText, toText } from '../postgres/text.ts'
import { arrays } from '../postgres/arrays.ts'

interface PurgeRow {
  readonly kind: string
  readonly id: string
  /** Empty for every source. */
  readonly source_id: string
  /** `null`: it is a suppression, which covers every event that belongs to the user. */
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
  const ids = namedIds(events)
  const { rows } = await sql<PurgeRow>`
    SELECT kind, id, source_id, max(through) AS through FROM purged_ids
    WHERE id = ANY(${arrays.texts([...ids])}) GROUP BY kind, id, source_id
    UNION ALL SELECT kind, user_id, source_id, NULL FROM suppressions
    WHERE user_id = ANY(${arrays.texts([...ids])})`.execute(transaction)
  if (rows.length === 0) return () => false
  const byId = Map.groupBy(rows, ({ kind, id }) => `${kind} ${fromText(id)}`)
  const rowsOf = (subjects: readonly Subject[]): PurgeRow[] =>
    subjects.flatMap(({ kind, id }) => byId.get(`${kind} ${id}`) ?? [])
  return (event) =>
    rowsOf(idsOf(event)).some((purge) => isPurgedBy(purge, event, positionOf)) ||
    rowsOf(subjectsOf(event)).some((suppression) => isSuppressedBy(suppression, event))
}

/** Every id by which a purge or a suppression may name one of these events, as the database has it. */
export function namedIds(events: readonly AcceptedEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => idsOf(event).map(({ id }) => toText(id))))
}

/** The ids that a purge may name. An alias call names a former id of either kind. */
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
  positionOf: Positioned,
): boolean {
  // A computed event may tell of events of any source.
  const isOfSource = isOf(sourceId, event) || event.origin !== undefined
  return isOfSource && through !== null && positionOf(event) <= through
}

/** Ingestion leaves out the same. */
function isSuppressedBy({ source_id: sourceId, through }: PurgeRow, event: AcceptedEvent): boolean {
  return through === null && event.origin === undefined && isOf(sourceId, event)
}

function isOf(sourceId: string, event: AcceptedEvent): boolean {
  return sourceId === '' || fromText(sourceId) === event.sourceId
}
