import { type AcceptedEvent, DECLINE_REASONS, type EventType, timeOfId } from '@hookline/protocol'
import { textOf } from '../accepted-event.ts'
import { systemClock } from '../../util/time/clock.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { ReplayScan, ReplaySelection, ReplaySlice } from '../replays.ts'
import { readableEventOf } from './event-rows.ts'
import { idBound } from './rows.ts'
import { sql } from './sql.ts'
import type { Reads } from './store.ts'

interface Candidate {
  readonly eventId: string
  /** The cursor after the candidate. */
  readonly position: string
  /** Whether the destination of the candidate, and its state or its reason, match the selection. */
  readonly isChosen: boolean
}

/** The number of events that are looked up together, and searched in one turn of the event loop. */
const EVENTS_PER_LOOKUP = 50

/**
 * The decline reasons whose events a replay delivers: all except `integrations`, with which the client itself excluded the
 * destination.
 */
const REPLAYED_DECLINES = Object.keys(DECLINE_REASONS).filter((reason) => reason !== 'integrations')

/** `Replays.select`. The cursor is the key of the last row: `msg_…`, or, for the table `declined`, `evt_…` and `dst_…`. */
export async function replaySlice(
  reads: Reads,
  selection: ReplaySelection,
  options: ReplayScan,
): Promise<ReplaySlice> {
  const { cursor, scan } = options
  const from = cursor ?? idBound('msg', selection.from)
  const candidates = await candidatesAfter(reads, selection, from, scan)
  const { eventIds, scanned } = await choose(reads, candidates, selection, options)
  const last = candidates[scanned - 1]
  const isThrough = scanned === candidates.length && candidates.length < scan
  return {
    eventIds,
    scanned,
    reachedAt: last === undefined ? null : timeOfId(last.eventId),
    cursor: isThrough ? cursorAfter(selection, from) : (last?.position ?? from),
  }
}

function cursorAfter({ includeDeclined, from }: ReplaySelection, position: string): string | null {
  return includeDeclined && !isOfDeclined(position) ? `${idBound('evt', from)} ` : null
}

interface Row extends Omit<Candidate, 'isChosen'> {
  readonly destination: string
  /** The state of a delivery, or the reason for a decision. */
  readonly outcome: string
}

async function candidatesAfter(
  reads: Reads,
  { destinationId, states, includeDeclined, to }: ReplaySelection,
  position: string,
  scan: number,
): Promise<Candidate[]> {
  const isDeclined = isOfDeclined(position)
  const [eventId = '', destination = ''] = position.split(' ')
  // The condition on the event alone lets PostgreSQL skip partitions.
  const declined = sql<Row>`
    SELECT event_id AS "eventId", event_id || ' ' || destination_id AS position, destination_id AS destination,
      reason AS outcome
    FROM declined
    WHERE event_id >= ${eventId} AND (event_id, destination_id) > (${eventId}, ${destination})
      AND event_id < ${idBound('evt', to)}
    ORDER BY event_id, destination_id LIMIT ${scan}`
  const deliveries = sql<Row>`
    SELECT event_id AS "eventId", id AS position, destination_id AS destination, state AS outcome FROM deliveries
    WHERE id > ${position} AND id < ${idBound('msg', to)} ORDER BY id LIMIT ${scan}`
  const rows = await reads.list(isDeclined ? declined : deliveries)
  const ended = includeDeclined ? [...states, 'declined'] : states
  const outcomes: readonly string[] = isDeclined ? REPLAYED_DECLINES : ended
  return rows.map((row) => ({
    eventId: row.eventId,
    position: row.position,
    isChosen: row.destination === destinationId && outcomes.includes(row.outcome),
  }))
}

async function choose(
  reads: Reads,
  candidates: readonly Candidate[],
  selection: ReplaySelection,
  { limit, isSelected }: ReplayScan,
): Promise<Pick<ReplaySlice, 'eventIds' | 'scanned'>> {
  const eventIds: string[] = []
  let scanned = 0
  while (scanned < candidates.length && eventIds.length < limit) {
    const together = candidates.slice(scanned, scanned + EVENTS_PER_LOOKUP)
    const matching = await matchingOf(reads, together, selection, isSelected)
    for (const { eventId, isChosen } of together) {
      if (eventIds.length >= limit) break
      if (isChosen && matching.has(eventId)) eventIds.push(eventId)
      scanned++
    }
  }
  return { eventIds, scanned }
}

/** The events of chosen candidates that match the rest of the selection. */
async function matchingOf(
  reads: Reads,
  candidates: readonly Candidate[],
  selection: ReplaySelection,
  isSelected: ReplayScan['isSelected'],
): Promise<ReadonlySet<string>> {
  const chosen = candidates.filter(({ isChosen }) => isChosen)
  if (chosen.length === 0) return new Set()
  const ids = chosen.map(({ eventId }) => eventId)
  const isDeclined = isOfDeclined(chosen[0]!.position)
  const free = isDeclined ? await withoutDelivery(reads, ids, selection) : ids
  const matching = await inCalls(reads, free, selection)
  const isForAll = !isDeclined || isSelected === undefined
  return new Set(isForAll ? matching : await selectedOf(reads, matching, isSelected))
}

async function selectedOf(
  reads: Reads,
  eventIds: readonly string[],
  isSelected: (event: AcceptedEvent) => boolean,
): Promise<readonly string[]> {
  const rows = await reads.list(sql<Readonly<Record<string, unknown>>>`
    SELECT ${reads.dialect.events.columns} FROM events WHERE id ${reads.dialect.among(eventIds)}`)
  const slices = new TimeSlices(systemClock)
  const selected: string[] = []
  for (const row of rows) {
    await slices.yieldIfOver()
    const event = readableEventOf(row)
    if (event !== undefined && isSelected(event)) selected.push(event.id)
  }
  return selected
}

/** The events for which no earlier replay created a delivery. Events with such a delivery are selected by its state. */
async function withoutDelivery(
  reads: Reads,
  eventIds: readonly string[],
  { destinationId }: ReplaySelection,
): Promise<readonly string[]> {
  const events = eventIds.map((eventId) => {
    const at = timeOfId(eventId)
    return { eventId, fromId: idBound('msg', at), toId: idBound('msg', at + 1) }
  })
  const input = reads.dialect.rows(events, { text: ['eventId', 'fromId', 'toId'] })
  // Not a join: without statistics of the tables, a database may read all deliveries.
  const rows = await reads.list(sql<{ readonly event_id: string }>`
    SELECT event_id FROM ${input} WHERE 0 = (
      SELECT count(*) FROM deliveries WHERE id > input.from_id AND id < input.to_id
        AND event_id = input.event_id AND destination_id = ${destinationId})`)
  return rows.map((row) => row.event_id)
}

async function inCalls(
  reads: Reads,
  eventIds: readonly string[],
  { types, text }: ReplaySelection,
): Promise<readonly string[]> {
  if (types === undefined && text === undefined) return eventIds
  const columns = text === undefined ? sql`'' AS body, '' AS rest` : sql`body, rest`
  const rows = await reads.list(
    sql<{
      readonly id: string
      readonly type: EventType
      /** A string on SQLite. */
      readonly body: Uint8Array | string
      readonly rest: string
    }>`SELECT id, type, ${columns} FROM events WHERE id ${reads.dialect.among(eventIds)}`,
  )
  return rows
    .filter(({ type }) => types?.includes(type) ?? true)
    .filter(({ body, rest }) => {
      const call = typeof body === 'string' ? body : textOf(body)
      return text === undefined || contains(call + rest, text)
    })
    .map(({ id }) => id)
}

function isOfDeclined(position: string): boolean {
  return position.startsWith('evt_')
}

/** Whether the call's JSON contains the text, ignoring case. */
function contains(call: string, text: string): boolean {
  const escaped = JSON.stringify(text).slice(1, -1)
  return call.toLowerCase().includes(escaped.toLowerCase())
}
