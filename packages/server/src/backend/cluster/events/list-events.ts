import type { EventOutcome } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { EventFilter, ListedEvent } from '../../events.ts'
import type { Page, PageRequest } from '../../page.ts'
import type { Connection } from '../postgres/postgres.ts'
import { archivedEvents } from './archived-events.ts'
import { type EventConditions, eventConditions } from './event-conditions.ts'
import { outcomesOf } from './event-outcomes.ts'

/** Where a row is in the order of the list. */
interface Place {
  readonly received_at: number
  readonly seq: number
}

/** A row that was looked at. The id is only of those that may meet the filter. */
type LookedAt = Place & { readonly id: string | null }

type Found = Place & { readonly event: ListedEvent }

/** How a page looks through the archive. */
interface Search {
  readonly conditions: EventConditions
  readonly outcome: EventOutcome | undefined
  /** Rows that one step looks at. */
  readonly rows: number
}

/** Rows that a step looks at, and steps of a page, where few rows may meet the filter. */
const STEP_ROWS = 2_500
const MOST_STEPS = 20
/** How long a page may take where rows are large. */
const PAGE_MS = 1_000

/** Lists events, newest first. A page looks through a bounded part of the archive. */
export async function listEvents(
  db: Connection,
  filter: EventFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ListedEvent>> {
  const { sourceId, type, event, text, outcome } = filter
  const isSelective = [sourceId, type, event, text, outcome].some((condition) => !!condition)
  const rows = isSelective ? STEP_ROWS : limit + 1
  const search = { conditions: eventConditions(filter), outcome, rows }
  const deadline = performance.now() + PAGE_MS
  const found: Found[] = []
  let place: Place | null | undefined = cursor === undefined ? undefined : placeIn(cursor)
  for (let steps = 0; place !== null && found.length <= limit && steps < MOST_STEPS; steps++) {
    if (steps > 0 && performance.now() >= deadline) break
    const step = await look(db, search, { place, limit: limit + 1 - found.length })
    found.push(...step.found)
    place = step.next
  }
  const shown = found.slice(0, limit)
  const last = found.length > limit ? shown.at(-1)! : place
  return { data: shown.map((each) => each.event), nextCursor: last ? cursorOf(last) : null }
}

interface Step {
  readonly found: readonly Found[]
  /** The last row that was looked at; `null` where there are no more. */
  readonly next: Place | null
}

async function look(
  db: Connection,
  { conditions, outcome, rows: most }: Search,
  { place, limit }: { readonly place: Place | undefined; readonly limit: number },
): Promise<Step> {
  const rows = await lookedAt(db, conditions, { place, most })
  const candidates = rows.flatMap(({ id }) => id ?? [])
  const outcomes = outcome && (await outcomesOf(db, candidates))
  const wanted = outcomes ? candidates.filter((id) => outcomes.get(id)?.[outcome]) : candidates
  const byId = await firstThatMeet(db, wanted, { limit, isMet: conditions.isMet })
  return {
    found: rows.flatMap((row) => {
      const event = row.id === null ? undefined : byId.get(row.id)
      return event === undefined ? [] : [{ ...row, event }]
    }),
    next: rows.length === most ? rows.at(-1)! : null,
  }
}

async function lookedAt(
  db: Connection,
  { indexed, where }: EventConditions,
  { place, most }: { readonly place: Place | undefined; readonly most: number },
): Promise<readonly LookedAt[]> {
  const after: RawBuilder<unknown> =
    place === undefined
      ? sql`true`
      : sql`(events.received_at, events.seq) < (${place.received_at}::bigint, ${place.seq}::bigint)`
  const { rows } = await sql<LookedAt>`
    SELECT received_at, seq, CASE WHEN ${where} THEN id END AS id FROM events
    WHERE ${indexed} AND ${after} ORDER BY received_at DESC, seq DESC LIMIT ${most}`.execute(db)
  return rows
}

/** The first of the events that meet the filter. */
async function firstThatMeet(
  db: Connection,
  ids: readonly string[],
  { limit, isMet }: { readonly limit: number; readonly isMet: EventConditions['isMet'] },
): Promise<ReadonlyMap<string, ListedEvent>> {
  const byId = new Map<string, ListedEvent>()
  for (let at = 0; at < ids.length && byId.size < limit; at += limit) {
    const some = ids.slice(at, at + limit)
    const events = await archivedEvents(db, some)
    const outcomes = await outcomesOf(db, some)
    for (const id of some) {
      const event = events.get(id)
      if (event === undefined || !isMet(event) || byId.size === limit) continue
      byId.set(id, { ...event, outcomes: outcomes.get(id) ?? {} })
    }
  }
  return byId
}

function cursorOf({ received_at: receivedAt, seq }: Place): string {
  return `${receivedAt}.${seq}`
}

function placeIn(cursor: string): Place {
  const [receivedAt, seq] = cursor.split('.')
  return { received_at: Number(receivedAt), seq: Number(seq) }
}
