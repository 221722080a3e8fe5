import { idFrom, timeOfId } from '@hookline/protocol'
import { sql } from 'kysely'
import { textOf } from '../../accepted-event.ts'
import type { ReplaySelection, ReplaySlice } from '../../replays.ts'
import type { Connection } from '../postgres/postgres.ts'

interface Candidate {
  readonly eventId: string
  readonly position: string
  readonly isChosen: boolean
}

interface Slice {
  readonly cursor: string | null
  readonly scan: number
  readonly limit: number
}

/** Events whose calls are in memory together. */
const EVENTS_TOGETHER = 100

/**
 * Looks at a slice of what a replay selects from (`Replays.select`): the deliveries of a time range and then, with
 * `includeDeclined`, the declined destinations of its events. Both tables are in the order of receipt, so a cursor is the key
 * of the last row that was looked at: `msg_…`, or `evt_…` and `dst_…` for the table `declined`.
 */
export async function replaySlice(
  db: Connection,
  selection: ReplaySelection,
  { cursor, scan, limit }: Slice,
): Promise<ReplaySlice> {
  const from = cursor ?? firstId('msg', selection.from)
  const rows = isOfDeclined(from)
    ? await declinedAfter(db, selection, from, scan)
    : await deliveriesAfter(db, selection, from, scan)
  const { chosen, scanned } = await choose(db, rows, selection, limit)
  const last = rows[scanned - 1]
  const isThrough = scanned === rows.length && rows.length < scan
  return {
    eventIds: chosen,
    scanned,
    reachedAt: last === undefined ? null : timeOfId(last.eventId),
    cursor: isThrough ? cursorAfter(selection, from) : (last?.position ?? from),
  }
}

/** Chooses the events of matching rows, until there are `limit`. */
async function choose(
  db: Connection,
  rows: readonly Candidate[],
  selection: ReplaySelection,
  limit: number,
) {
  const chosen: string[] = []
  let scanned = 0
  while (scanned < rows.length && chosen.length < limit) {
    const together = rows.slice(scanned, scanned + EVENTS_TOGETHER)
    const matching = await matchingOf(db, together, selection)
    for (const { eventId, isChosen } of together) {
      if (chosen.length >= limit) break
      if (isChosen && matching.has(eventId)) chosen.push(eventId)
      scanned++
    }
  }
  return { chosen, scanned }
}

/** The events of chosen rows that the selection matches. */
async function matchingOf(
  db: Connection,
  rows: readonly Candidate[],
  selection: ReplaySelection,
): Promise<ReadonlySet<string>> {
  const chosen = rows.filter(({ isChosen }) => isChosen)
  const ids = chosen.map(({ eventId }) => eventId)
  if (ids.length === 0) return new Set()
  const isDeclined = isOfDeclined(chosen[0]!.position)
  const delivered = isDeclined ? await withDelivery(db, ids, selection) : new Set<string>()
  const left = ids.filter((id) => !delivered.has(id))
  return new Set(await ofCalls(db, left, selection))
}

async function deliveriesAfter(
  db: Connection,
  { destinationId, states, to }: ReplaySelection,
  after: string,
  scan: number,
): Promise<readonly Candidate[]> {
  const { rows } = await sql<{
    readonly id: string
    readonly event_id: string
    readonly is_chosen: boolean
  }>`
    SELECT id, event_id, destination_id = ${destinationId} AND state = ANY(${states}::text[]) AS is_chosen
    FROM deliveries WHERE id > ${after} AND id < ${firstId('msg', to)} ORDER BY id LIMIT ${scan}`.execute(
    db,
  )
  return rows.map((row) => ({
    eventId: row.event_id,
    position: row.id,
    isChosen: row.is_chosen,
  }))
}

async function declinedAfter(
  db: Connection,
  { destinationId, to }: ReplaySelection,
  cursor: string,
  scan: number,
): Promise<readonly Candidate[]> {
  const [eventId, afterDestination] = cursor.split(' ')
  const { rows } = await sql<{
    readonly event_id: string
    readonly destination_id: string
    readonly reason: string
  }>`
    SELECT event_id, destination_id, reason FROM declined
    WHERE event_id >= ${eventId!} AND (event_id, destination_id) > (${eventId!}, ${afterDestination!})
      AND event_id < ${firstId('evt', to)}
    ORDER BY event_id, destination_id LIMIT ${scan}`.execute(db)
  return rows.map((row) => ({
    eventId: row.event_id,
    position: `${row.event_id} ${row.destination_id}`,
    isChosen: row.destination_id === destinationId && row.reason === 'destination_disabled',
  }))
}

/** The events that an earlier replay made a delivery of. The selection then goes by the state of that one. */
async function withDelivery(
  db: Connection,
  eventIds: readonly string[],
  { destinationId }: ReplaySelection,
): Promise<ReadonlySet<string>> {
  const times = eventIds.map(timeOfId)
  const { rows } = await sql<{ readonly event_id: string }>`
    SELECT event_id FROM deliveries
    WHERE event_id = ANY(${eventIds}::text[]) AND destination_id = ${destinationId}
      AND id > ${firstId('msg', Math.min(...times))} AND id < ${firstId('msg', Math.max(...times) + 1)}`.execute(
    db,
  )
  return new Set(rows.map((row) => row.event_id))
}

/** The events with one of the types, and with the text in the call. */
async function ofCalls(
  db: Connection,
  eventIds: readonly string[],
  { types, text }: ReplaySelection,
): Promise<readonly string[]> {
  if (types === undefined && text === undefined) return eventIds
  const isOfType = types === undefined ? sql`TRUE` : sql`type = ANY(${types}::text[])`
  const { rows } = await sql<{
    readonly id: string
    readonly body: Buffer
    readonly rest: string
  }>`
    SELECT id, ${text === undefined ? sql`''::bytea` : sql`body`} AS body, rest FROM events
    WHERE id = ANY(${eventIds}::text[]) AND ${isOfType}`.execute(db)
  const matching =
    text === undefined ? rows : rows.filter(({ body, rest }) => contains(textOf(body) + rest, text))
  return matching.map(({ id }) => id)
}

function isOfDeclined(position: string): boolean {
  return position.startsWith('evt_')
}

/** Where to go on at the end of a table: in `declined`, or nowhere. */
function cursorAfter({ includeDeclined, from }: ReplaySelection, position: string): string | null {
  return includeDeclined && !isOfDeclined(position) ? `${firstId('evt', from)} ` : null
}

/** Whether the JSON of the call contains the text, in upper or lower case. */
function contains(texts: string, text: string): boolean {
  const escaped = JSON.stringify(text).slice(1, -1)
  return texts.toLowerCase().includes(escaped.toLowerCase())
}

/** A text that sorts before every id made at `ms` or later, and after every id made earlier. */
function firstId(prefix: 'msg' | 'evt', ms: number): string {
  return idFrom(prefix, Math.max(0, ms), new Uint8Array(10)).slice(0, 14)
}
