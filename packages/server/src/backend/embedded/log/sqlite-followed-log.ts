import type { FollowedLog, LogSlice, PositionedEvent } from '../../log.ts'
import { CORRUPTED_EVENT, type UnreadableRecord } from '../../quarantine.ts'
import type { SqliteRow } from '../database/statements.ts'
import type { Readers } from '../readers.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from './event-row.ts'
import type { AcceptedEvent } from '@hookline/protocol'
import { EventAmount, type MaxAmount } from '../../accepted-event.ts'
import type { AppendResult } from './write-log.ts'

/** The maximum number of rows that a read with a selector scans, in a few milliseconds. */
const MAX_ROWS = 5_000

/** The types come first, so that only track calls are parsed. */
const SELECTED = `(type IN (SELECT value FROM json_each(?4)) OR type = 'track'
  AND CASE WHEN json_valid(body) THEN body ->> '$.event' END IN (SELECT value FROM json_each(?5)))`

/** At most ?3 of the next ?2 rows after ?1; if there are none, one row with the last scanned position and the newest one. */
const sliceSql = (condition: string): string =>
  `SELECT reached, (SELECT MAX(seq) FROM events) AS newest, seq, ${EVENT_COLUMNS}
   FROM (SELECT MAX(seq) AS reached FROM (SELECT seq FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2 + 0))
   LEFT JOIN events ON seq > ?1 AND seq <= reached AND ${condition}
   ORDER BY seq LIMIT ?3 + 0`

const EVERY = sliceSql('TRUE')
const ONLY = sliceSql(SELECTED)

export function sqliteFollowedLog(
  readers: Readers,
  { end, recent }: { readonly end: AppendedPosition; readonly recent: RecentEvents },
): FollowedLog {
  return {
    async read(request) {
      const { after, limit, only } = request
      const slice = only === undefined ? recent.read(after, limit) : undefined
      if (slice !== undefined) return slice
      // Read before the SELECT, which sees at least everything up to this position.
      const { last } = end
      const values =
        only === undefined
          ? [after, limit, limit]
          : [after, MAX_ROWS, limit, JSON.stringify(only.types), JSON.stringify(only.events)]
      const sql = only === undefined ? EVERY : ONLY
      const rows = await readers.run('select', { sql, values })
      return sliceOf(rows, request, last)
    },
    appendedAfter: (position, signal) => end.beyond(position, signal),
  }
}

function sliceOf(
  rows: readonly SqliteRow[],
  { after, limit }: { readonly after: number; readonly limit: number },
  end: number,
): LogSlice {
  const { reached, newest } = rows[0]!
  const eventRows = rows.filter(({ seq }) => seq !== null)
  // A full slice may omit scanned rows after its last one.
  const through =
    eventRows.length === limit ? Number(eventRows.at(-1)!['seq']) : Number(reached ?? after)
  const isEnd = through >= Number(newest ?? 0)
  const events: PositionedEvent[] = []
  const unreadable: UnreadableRecord[] = []
  for (const row of eventRows) {
    const event = readableEventOf(row)
    if (event !== undefined) events.push({ position: Number(row['seq']), event })
    else unreadable.push({ id: String(row['id']), reason: CORRUPTED_EVENT })
  }
  // The newest positions may have no event; waiting for more must not end immediately.
  const slice = { events, through: isEnd ? Math.max(through, end) : through, isEnd }
  return unreadable.length === 0 ? slice : { ...slice, unreadable }
}

export class AppendedPosition {
  /** The callbacks that wait for more events, each with its position. */
  readonly #waiting = new Map<() => void, number>()
  #last: number

  constructor(last: number) {
    this.#last = last
  }

  /** Everything up to here is committed, or will never be. */
  get last(): number {
    return this.#last
  }

  moveTo(last: number): void {
    this.#last = last
    for (const [wake, position] of this.#waiting) if (position < last) wake()
  }

  /** Resolves when the log reaches beyond the position, or `signal` aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    if (position < this.#last || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    this.#waiting.set(wake, position)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    this.#waiting.delete(wake)
    signal.removeEventListener('abort', wake)
  }
}

const MAX_BUFFERED: MaxAmount = { events: 4_096, bytes: 16 * 1024 * 1024 }

interface Recent {
  readonly first: number
  readonly events: readonly AcceptedEvent[]
  readonly duplicates: ReadonlySet<string>
}

/** Caches the newest events for followers that keep up, which would otherwise spend most of their time reading the table. */
export class RecentEvents {
  #appends: Recent[] = []
  readonly #amount = new EventAmount()
  #pauses = 0

  add(events: readonly AcceptedEvent[], { lastSeq, duplicates }: AppendResult): void {
    if (this.#pauses > 0) return
    const first = lastSeq - events.length + 1
    this.#appends.push({ first, events, duplicates: new Set(duplicates) })
    this.#amount.add(events)
    while (this.#amount.isOver(MAX_BUFFERED) && this.#appends.length > 1)
      this.#amount.remove(this.#appends.shift()!.events)
  }

  /** The events after a position, at most `limit`; `undefined` unless all of them are here. */
  read(after: number, limit: number): LogSlice | undefined {
    const [oldest] = this.#appends
    if (oldest === undefined || after < oldest.first - 1) return undefined
    const positioned: PositionedEvent[] = []
    let through = after
    for (const { first, events, duplicates } of this.#appends) {
      for (let index = Math.max(0, after - first + 1); index < events.length; index++) {
        if (positioned.length === limit) return { events: positioned, through, isEnd: false }
        const event = events[index]!
        through = first + index
        if (!duplicates.has(event.id)) positioned.push({ position: through, event })
      }
    }
    return { events: positioned, through, isEnd: true }
  }

  /** Runs work that removes events. Reads during and after it use the table. */
  async whileRemoving<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    this.#appends = []
    this.#amount.clear()
    try {
      return await work()
    } finally {
      this.#pauses--
    }
  }
}
