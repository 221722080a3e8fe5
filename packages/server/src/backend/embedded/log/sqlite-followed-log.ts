import type { SQLInputValue } from 'node:sqlite'
import type { EventSelector, FollowedLog, LogSlice, PositionedEvent } from '../../log.ts'
import { DAMAGED_EVENT, type Unreadable } from '../../quarantine.ts'
import { numberOrNull, type Row } from '../database/statements.ts'
import type { Readers } from '../readers.ts'
import { readableEventOf } from '../../store/event-rows.ts'
import { EVENT_COLUMNS } from './event-row.ts'
import type { AcceptedEvent } from '@hookline/protocol'
import { EventAmount, type MaxAmount } from '../../accepted-event.ts'
import type { Appended } from './write-log.ts'

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

  constructor(
    readers: Readers,
    { end, recent }: { readonly end: AppendedPosition; readonly recent: RecentEvents },
  ) {
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

interface Waiting {
  readonly position: number
  readonly wake: () => void
}

/** How far the log reaches, for those who wait for more. */
export class AppendedPosition {
  readonly #waiting = new Set<Waiting>()
  #last: number

  constructor(last: number) {
    this.#last = last
  }

  /** Everything up to here is either committed or will never be. */
  get last(): number {
    return this.#last
  }

  moveTo(last: number): void {
    this.#last = last
    for (const { position, wake } of this.#waiting) if (position < last) wake()
  }

  /** Resolves when the log reaches beyond the position, or `signal` aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    if (position < this.#last || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const waiting = { position, wake }
    this.#waiting.add(waiting)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    this.#waiting.delete(waiting)
    signal.removeEventListener('abort', wake)
  }
}

/** Events that are kept: those of about a second at the highest rate. */
const MAX_KEPT: MaxAmount = { events: 4_096, bytes: 16 * 1024 * 1024 }

interface Recent {
  /** The seq of its first event. */
  readonly first: number
  readonly events: readonly AcceptedEvent[]
  readonly duplicates: ReadonlySet<string>
}

/**
 * The events that were appended last, for those who follow the log closely: to read them back from the table and to parse
 * them costs as much as all else that is done with most of them. Empty until somebody follows.
 */
export class RecentEvents {
  #appends: Recent[] = []
  readonly #amount = new EventAmount()
  #isFollowed = false
  #pauses = 0

  /** Begins to keep what is appended from now on. */
  follow(): void {
    this.#isFollowed = true
  }

  /** Call it for every append, in the order of the commits. */
  add(events: readonly AcceptedEvent[], { lastSeq, duplicates }: Appended): void {
    if (!this.#isFollowed || this.#pauses > 0) return
    const first = lastSeq - events.length + 1
    this.#appends.push({ first, events, duplicates: new Set(duplicates) })
    this.#amount.add(events)
    while (this.#amount.isOver(MAX_KEPT) && this.#appends.length > 1)
      this.#amount.remove(this.#appends.shift()!.events)
  }

  /** The events after a position, at most `limit`; `undefined` where not all of them are here. */
  read(after: number, limit: number): LogSlice | undefined {
    const [oldest] = this.#appends
    if (oldest === undefined || after < oldest.first - 1) return undefined
    const found: PositionedEvent[] = []
    let through = after
    for (const { first, events, duplicates } of this.#appends) {
      for (let index = Math.max(0, after - first + 1); index < events.length; index++) {
        if (found.length === limit) return { events: found, through, isEnd: false }
        const event = events[index]!
        through = first + index
        if (!duplicates.has(event.id)) found.push({ position: through, event })
      }
    }
    return { events: found, through, isEnd: true }
  }

  /** Does work that removes events from the table. Whoever reads them meanwhile or later reads the table. */
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
