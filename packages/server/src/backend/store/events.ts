import {
  type AcceptedEvent,
  type EventOutcome,
  type EventOutcomes,
  timeOfId,
} from '@hookline/protocol'
import { withParsedFields, textOf } from '../accepted-event.ts'
import type {
  ArchivedEvent,
  DeclinedDestination,
  EventFilter,
  Events,
  EventToArchive,
  ListedEvent,
} from '../events.ts'
import { InvalidCursorError, type Page, type PageRequest } from '../page.ts'
import type { Dialect } from './dialect.ts'
import { eventOfRow } from './event-rows.ts'
import { idBound, timeOf, timeOrNull, withoutEmptyStrings } from './rows.ts'
import { joinSql, sql, type Statement } from './sql.ts'
import { lookUpTx, type Reads, type ReadTx } from './store.ts'

/**
 * For a selective filter: the number of rows that a step examines, and the maximum number of steps
 * in a page.
 */
const STEP_ROWS = 1_000
const MAX_STEPS = 50
/** How long a page may take. Its transaction on SQLite prevents the write-ahead log from being truncated. */
const PAGE_MS = 200
const EVENTS_PER_LOOKUP = 50

export abstract class StoredEvents implements Events {
  readonly #reads: Reads

  constructor(reads: Reads) {
    this.#reads = reads
  }

  abstract archive(entries: readonly EventToArchive[]): Promise<ReadonlySet<string>>

  async decidedDestinations(
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const rows = await outcomeRows(lookUpTx(this.#reads), eventIds)
    const byEvent = Map.groupBy(rows, ({ event_id: id }) => id)
    return new Map(
      [...byEvent].map(([id, each]) => [id, new Set(each.map((row) => row.destination_id))]),
    )
  }

  async find(id: string): Promise<ArchivedEvent | undefined> {
    return (await archivedEvents(lookUpTx(this.#reads), [id])).get(id)
  }

  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, ArchivedEvent>> {
    return this.#reads.read(archivedEvents, ids)
  }

  async list(filter: EventFilter, page: PageRequest): Promise<Page<ListedEvent>> {
    const { cursor } = this.#reads.dialect.events
    if (page.cursor !== undefined && !cursor.test(page.cursor)) throw new InvalidCursorError()
    return this.#reads.read(listEvents, { filter: withoutEmptyStrings(filter), page })
  }
}

interface ListedPage {
  readonly filter: EventFilter
  readonly page: PageRequest
}

export async function listEvents(
  tx: ReadTx,
  { filter, page: { limit, cursor } }: ListedPage,
): Promise<Page<ListedEvent>> {
  const search = searchFor(filter, tx.dialect)
  const rows = search.isSelective ? STEP_ROWS : limit + 1
  const deadline = performance.now() + PAGE_MS
  const matching: FoundEvents[] = []
  let next: string | null | undefined = cursor
  for (let steps = 0; next !== null && matching.length <= limit && steps < MAX_STEPS; steps++) {
    // At least one step, even if the thread had to wait.
    if (steps > 0 && performance.now() >= deadline) break
    const { where } = search
    const step = await tx.dialect.events.step(tx, { filter, where, cursor: next, limit: rows })
    matching.push(...(await matchingEvents(tx, search, step.events, limit + 1 - matching.length)))
    next = step.next
  }
  const shown = matching.slice(0, limit)
  const last = matching.length > limit ? shown.at(-1)!.cursor : next
  return { data: shown.map(({ event }) => event), nextCursor: last ?? null }
}

interface FoundEvents {
  readonly event: ListedEvent
  readonly cursor: string
}

interface Search {
  readonly where: Statement
  /** Whether an event selected by `where` matches the filter, apart from its outcome. */
  readonly isMet: (event: AcceptedEvent) => boolean
  readonly outcome: EventOutcome | undefined
  readonly isSelective: boolean
}

function searchFor(filter: EventFilter, { events }: Dialect): Search {
  const { sourceId, type, event, text, outcome } = filter
  const anonymousId = events.indexed.has('anonymousId') ? undefined : filter.anonymousId
  const folded = text && escapeForJson(text).toLowerCase()
  const where = [
    sourceId && sql`AND source_id = ${sourceId}`,
    type && sql`AND type = ${type}`,
    event && sql`AND ${events.text} LIKE ${patternOf(escapeForJson(event))} ESCAPE '\\'`,
    anonymousId &&
      sql`AND ${events.text} LIKE ${patternOf(escapeForJson(anonymousId))} ESCAPE '\\'`,
    // Some letters outside ASCII also fold to i or k.
    folded &&
      sql`AND ${events.text} ${events.likeFolded} ${patternOf(folded).replaceAll(/[ik]/g, '%')} ESCAPE '\\'`,
  ]
  const conditions = where.filter((each) => !!each)
  return {
    where: joinSql(conditions, ' '),
    isMet: (accepted) =>
      (!folded || (textOf(accepted.body) + accepted.rest).toLowerCase().includes(folded)) &&
      (!anonymousId || accepted.anonymousId === anonymousId) &&
      (!event || accepted.event.event === event),
    outcome,
    isSelective: Object.entries(filter).some(
      ([name, value]) => value !== undefined && !events.indexed.has(name as keyof EventFilter),
    ),
  }
}

/** A string in JSON, without the surrounding quotes. */
function escapeForJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Matches every string that contains this one. Characters outside ASCII match anything. */
function patternOf(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&').replaceAll(/[^\p{ASCII}]/gu, '%')}%`
}

async function matchingEvents(
  tx: ReadTx,
  { isMet, outcome }: Search,
  candidates: readonly { readonly id: string; readonly cursor: string }[],
  limit: number,
): Promise<readonly FoundEvents[]> {
  const ids = candidates.map(({ id }) => id)
  const outcomes = outcome && (await outcomesOf(tx, ids))
  const withOutcome = outcomes
    ? candidates.filter(({ id }) => outcomes.get(id)?.[outcome] !== undefined)
    : candidates
  const matching: FoundEvents[] = []
  for (let at = 0; at < withOutcome.length && matching.length < limit; at += EVENTS_PER_LOOKUP) {
    const some = withOutcome.slice(at, at + EVENTS_PER_LOOKUP)
    const idsOfSome = some.map(({ id }) => id)
    const events = await archivedEvents(tx, idsOfSome, isMet)
    const outcomesOfSome = await outcomesOf(tx, [...events.keys()])
    for (const { id, cursor } of some) {
      const event = events.get(id)
      if (event !== undefined)
        matching.push({ cursor, event: { ...event, outcomes: outcomesOfSome.get(id) ?? {} } })
    }
  }
  return matching.slice(0, limit)
}

type ArchivedRow = Readonly<Record<string, unknown>> & {
  readonly id: string
  readonly duplicates: number
  readonly last_duplicate_at: number | null
}

interface DeclinedRow extends Omit<DeclinedDestination, 'since'> {
  readonly eventId: string
  readonly since: number | null
}

/** The readable archived events with these ids that meet a condition, by id. */
export async function archivedEvents(
  tx: ReadTx,
  ids: readonly string[],
  isMet: (event: AcceptedEvent) => boolean = () => true,
): Promise<ReadonlyMap<string, ArchivedEvent>> {
  const rows = await tx.all(sql<ArchivedRow>`
    SELECT ${tx.dialect.events.columns}, duplicates, last_duplicate_at FROM events
    WHERE id ${tx.dialect.among(ids)}`)
  const met = rows.flatMap((row) => {
    const event = eventIn(row, isMet)
    return event === undefined ? [] : { row, event }
  })
  if (met.length === 0) return new Map()
  const declined = await tx.all(sql<DeclinedRow>`
    SELECT event_id AS "eventId", destination_id AS "destinationId", reason, since FROM declined
    WHERE event_id ${tx.dialect.among(met.map(({ row }) => row.id))} ORDER BY event_id, destination_id`)
  const declinedById = Map.groupBy(declined, ({ eventId }) => eventId)
  return new Map(
    met.map(({ row, event }) => {
      const { id, duplicates, last_duplicate_at: lastDuplicateAt } = row
      const declinedOfIt = (declinedById.get(id) ?? []).map(declinedOf)
      const counts = { duplicates, lastDuplicateAt: timeOrNull(lastDuplicateAt) }
      return [id, { ...event, declined: declinedOfIt, ...counts }]
    }),
  )
}

/** The parsed event of a row; `undefined` if it is corrupt or does not meet the condition. */
function eventIn(row: ArchivedRow, isMet: (event: AcceptedEvent) => boolean) {
  try {
    const event = eventOfRow(row)
    return isMet(event) ? withParsedFields(event) : undefined
  } catch {
    return undefined
  }
}

function declinedOf({ destinationId, reason, since }: DeclinedRow): DeclinedDestination {
  return { destinationId, reason, ...(since !== null && { since: timeOf(since) }) }
}

interface OutcomeRow {
  readonly event_id: string
  readonly destination_id: string
  readonly outcome: EventOutcome
}

/** The outcomes of events at their destinations, by event id. Events without a decision are absent. */
async function outcomesOf(tx: ReadTx, eventIds: readonly string[]) {
  const byEvent = Map.groupBy(await outcomeRows(tx, eventIds), ({ event_id: id }) => id)
  return new Map([...byEvent].map(([id, rows]) => [id, countOutcomes(rows)]))
}

/** Declined destinations come before deliveries, which a later replay may have created. */
async function outcomeRows(tx: ReadTx, eventIds: readonly string[]) {
  // Without an index, deliveries are found by the time in their ids.
  const together = tx.dialect.hasDeliveryIndexes
    ? [eventIds]
    : Map.groupBy(eventIds, timeOfId).values()
  const allRows: OutcomeRow[] = []
  for (const ids of together) {
    if (ids.length === 0) continue
    const times = ids.map(timeOfId)
    const rows = await tx.all(sql<OutcomeRow>`
      SELECT event_id, destination_id, 'declined' AS outcome FROM declined
      WHERE event_id ${tx.dialect.among(ids)}
      UNION ALL
      SELECT event_id, destination_id, CASE
        WHEN state = 'pending' AND attempt_count > 0 THEN 'retrying'
        WHEN state IN ('rejected', 'expired', 'quarantined') THEN 'failed'
        ELSE state END
      FROM deliveries WHERE event_id ${tx.dialect.among(ids)}
        AND id >= ${idBound('msg', Math.min(...times))} AND id < ${idBound('msg', Math.max(...times) + 1)}`)
    allRows.push(...rows)
  }
  return allRows
}

function countOutcomes(rows: readonly OutcomeRow[]): EventOutcomes {
  const byDestination = new Map(rows.map((row) => [row.destination_id, row.outcome]))
  const counts: Partial<Record<EventOutcome, number>> = {}
  for (const outcome of byDestination.values()) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
