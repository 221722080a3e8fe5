import { timeOfId } from '@hookline/protocol'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { ReplaySelection, ReplaySlice } from '../../replays.ts'
import { leastIdAt } from '../database/conditions.ts'
import { Statements } from '../database/statements.ts'

interface Candidate {
  readonly eventId: string
  readonly position: string
  readonly isChosen: boolean
}

interface Wanted extends Slice {
  readonly selection: ReplaySelection
}

interface Slice {
  readonly cursor: string | null
  readonly scan: number
  readonly limit: number
}

/** Looks at a slice of what a replay selects from (`Replays.select`). */
export function replaySlice(db: DatabaseSync): (wanted: Wanted) => ReplaySlice {
  const scan = new ReplayScan(new Statements(db))
  return ({ selection, ...slice }) => scan.slice(selection, slice)
}

/**
 * Walks through the deliveries of a time range and then, with `includeDeclined`, through the declined destinations of its
 * events. Both tables are in the order of receipt, so a cursor is the key of the last row that was looked at:
 * `msg_…`, or `evt_…` and `dst_…` for the table `declined`.
 */
class ReplayScan {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  slice(selection: ReplaySelection, { cursor, scan, limit }: Slice): ReplaySlice {
    const from = cursor ?? firstId('msg', selection.from)
    const rows = isOfDeclined(from)
      ? this.#declined(selection, from, scan)
      : this.#deliveries(selection, from, scan)
    const { chosen, scanned } = this.#choose(rows, selection, limit)
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
  #choose(rows: readonly Candidate[], selection: ReplaySelection, limit: number) {
    const chosen: string[] = []
    let scanned = 0
    for (const { eventId, position, isChosen } of rows) {
      if (chosen.length >= limit) break
      const isFree = isChosen && !(isOfDeclined(position) && this.#hasDelivery(eventId, selection))
      if (isFree && this.#matches(eventId, selection)) chosen.push(eventId)
      scanned++
    }
    return { chosen, scanned }
  }

  #deliveries({ destinationId, states, to }: ReplaySelection, after: string, scan: number) {
    const rows = this.#statements.all(
      `SELECT id, event_id, destination_id, state FROM deliveries
       WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
      [after, firstId('msg', to), scan],
    )
    const isOne = (state: SQLOutputValue): boolean => states.some((each) => each === state)
    return rows.map((row): Candidate => ({
      eventId: String(row['event_id']),
      position: String(row['id']),
      isChosen: row['destination_id'] === destinationId && isOne(row['state']!),
    }))
  }

  #declined({ destinationId, to }: ReplaySelection, cursor: string, scan: number) {
    const [eventId, afterDestination] = cursor.split(' ')
    const rows = this.#statements.all(
      `SELECT event_id, destination_id, reason FROM declined
       WHERE (event_id, destination_id) > (?, ?) AND event_id < ?
       ORDER BY event_id, destination_id LIMIT ?`,
      [eventId!, afterDestination!, firstId('evt', to), scan],
    )
    return rows.map((row): Candidate => {
      const isOurs = row['destination_id'] === destinationId
      return {
        eventId: String(row['event_id']),
        position: `${String(row['event_id'])} ${String(row['destination_id'])}`,
        isChosen: isOurs && row['reason'] === 'destination_disabled',
      }
    })
  }

  /** Whether an earlier replay made a delivery. The selection then goes by the state of that one. */
  #hasDelivery(eventId: string, { destinationId }: ReplaySelection): boolean {
    const at = timeOfId(eventId)
    const rows = this.#statements.all(
      'SELECT 1 FROM deliveries WHERE id > ? AND id < ? AND event_id = ? AND destination_id = ?',
      [firstId('msg', at), firstId('msg', at + 1), eventId, destinationId],
    )
    return rows.length > 0
  }

  #matches(eventId: string, { types, text }: ReplaySelection): boolean {
    if (types === undefined && text === undefined) return true
    const [row] = this.#statements.all(TEXTS_OF_EVENT, [eventId])
    if (row === undefined) return false
    const isOfType = types === undefined || types.some((type) => type === row['type'])
    return isOfType && (text === undefined || contains(String(row['texts']), text))
  }
}

function isOfDeclined(position: string): boolean {
  return position.startsWith('evt_')
}

/** Where to go on at the end of a table: in `declined`, or nowhere. */
function cursorAfter({ includeDeclined, from }: ReplaySelection, position: string): string | null {
  return includeDeclined && !isOfDeclined(position) ? `${firstId('evt', from)} ` : null
}

const TEXTS_OF_EVENT = `SELECT type, body || ifnull(rest, '') AS texts FROM events WHERE id = ?`

/** Whether the JSON of the call contains the text, in upper or lower case. */
function contains(texts: string, text: string): boolean {
  const escaped = JSON.stringify(text).slice(1, -1)
  return texts.toLowerCase().includes(escaped.toLowerCase())
}

/** A text that sorts before every id made at `ms` or later, and after every id made earlier. */
function firstId(prefix: 'msg' | 'evt', ms: number): string {
  return leastIdAt(prefix, ms).slice(0, 14)
}
