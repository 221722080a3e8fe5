import type { SQLInputValue } from 'node:sqlite'
import type { EventSelector, FollowedLog, LogSlice, PositionedEvent } from '../../log.ts'
import { DAMAGED_EVENT, type Unreadable } from '../../quarantine.ts'
import { numberOrNull, type Row } from '../database/rows.ts'
import type { Readers } from '../readers.ts'
import type { AppendedPosition } from './appended-position.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from './event-row.ts'
import type { RecentEvents } from './recent-events.ts'
import type { SqliteLog } from './sqlite-log.ts'

/** Rows that a read with a selector looks at, at most: some milliseconds. */
const LOOKED_AT = 5_000

/** The condition of a selector. The types come first: only track calls are parsed. */
const SELECTED = `(type IN (SELECT value FROM json_each(?4)) OR type = 'track'
  AND CASE WHEN json_valid(body) THEN body ->> '$.event' END IN (SELECT value FROM json_each(?5)))`

/**
 * The rows after ?1, at most ?3, of the next ?2 rows. Each also has the last seq that was looked at, and the newest one
 * there is. There is at least one row: without an event where no event is selected.
 */
const sliceSql = (condition: string): string =>
  `SELECT reached, (SELECT MAX(seq) FROM events) AS newest, seq, ${EVENT_COLUMNS}
   FROM (SELECT MAX(seq) AS reached FROM (SELECT seq FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2 + 0))
   LEFT JOIN events ON seq > ?1 AND seq <= reached AND ${condition}
   ORDER BY seq LIMIT ?3 + 0`

const EVERY = sliceSql('TRUE')
const ONLY = sliceSql(SELECTED)

/** The log for those who follow it, on the table `events`. The newest events come from memory. */
export class SqliteFollowedLog implements FollowedLog {
  readonly #readers: Readers
  readonly #end: AppendedPosition
  readonly #recent: RecentEvents

  constructor(readers: Readers, { end, recent }: Pick<SqliteLog, 'end' | 'recent'>) {
    this.#readers = readers
    this.#end = end
    this.#recent = recent
  }

  async read(wanted: {
    readonly after: number
    readonly limit: number
    readonly only?: EventSelector
  }): Promise<LogSlice> {
    const { after, limit, only } = wanted
    const slice = only === undefined ? this.#recent.read(after, limit) : undefined
    if (slice !== undefined) return slice
    // Before the SELECT, which then sees everything up to here.
    const end = this.#end.last
    const [sql, values] = selectOf(wanted)
    const rows = await this.#readers.run('select', { sql, values })
    return sliceOf(rows, wanted, end)
  }

  appendedAfter(position: number, signal: AbortSignal): Promise<void> {
    this.#recent.follow()
    return this.#end.beyond(position, signal)
  }
}

function selectOf({
  after,
  limit,
  only,
}: Parameters<FollowedLog['read']>[0]): [sql: string, values: SQLInputValue[]] {
  if (only === undefined) return [EVERY, [after, limit, limit]]
  const selector = [JSON.stringify(only.types), JSON.stringify(only.events)]
  return [ONLY, [after, LOOKED_AT, limit, ...selector]]
}

function sliceOf(
  rows: readonly Row[],
  { after, limit }: { readonly after: number; readonly limit: number },
  end: number,
): LogSlice {
  const { reached, newest } = rows[0]!
  const found = rows.filter(({ seq }) => seq !== null)
  // A full slice may have left rows behind its last one.
  const through = found.length === limit ? Number(found.at(-1)!['seq']) : Number(reached ?? after)
  const isEnd = through >= (numberOrNull(newest) ?? 0)
  const events: PositionedEvent[] = []
  const unreadable: Unreadable[] = []
  for (const row of found) {
    const event = readableEventOf(row)
    if (event !== undefined) events.push({ position: Number(row['seq']), event })
    else unreadable.push({ id: String(row['id']), reason: DAMAGED_EVENT })
  }
  // Where the newest numbers were given to no event, or to one that is gone, waiting for more must not end at once.
  const slice = { events, through: isEnd ? Math.max(through, end) : through, isEnd }
  return unreadable.length === 0 ? slice : { ...slice, unreadable }
}
