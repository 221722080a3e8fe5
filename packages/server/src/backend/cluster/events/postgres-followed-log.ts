import type { AcceptedEvent } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../../util/time/clock.ts'
import type { EventSelector, FollowedLog, LogSlice, PositionedEvent } from '../../log.ts'
import { DAMAGED_EVENT, type Unreadable } from '../../quarantine.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import { EVENT_COLUMNS, eventOf, type EventRow } from '../postgres/event-rows.ts'
import type { Postgres } from '../postgres/postgres.ts'

/** Rows that a read with a selector looks at, at most: some milliseconds. */
const LOOKED_AT = 5_000

/** Every row has what was looked at; there is one without an event where none is selected. */
interface SliceRow {
  readonly newest: number
  readonly reached: number | null
  readonly seq: number | null
}

interface Wanted {
  readonly after: number
  readonly limit: number
  readonly only?: EventSelector
}

/** The archive in the order of archiving, for those who follow it. */
export class PostgresFollowedLog implements FollowedLog {
  readonly #postgres: Postgres
  readonly #end: ArchiveEnd

  constructor(postgres: Postgres, end: ArchiveEnd) {
    this.#postgres = postgres
    this.#end = end
  }

  async read(wanted: Wanted): Promise<LogSlice> {
    return sliceOf(await this.#postgres.run(sliceSql(wanted)), wanted)
  }

  appendedAfter(position: number, signal: AbortSignal): Promise<void> {
    return this.#end.beyond(position, signal)
  }
}

/** The events after a position, at most `limit`, of the rows that are looked at. */
function sliceSql({ after, limit, only }: Wanted): RawBuilder<SliceRow & EventRow> {
  const lookedAt = only === undefined ? limit : LOOKED_AT
  return sql`
    WITH looked AS MATERIALIZED (
      SELECT seq FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${lookedAt}::int
    ), reach AS (SELECT max(seq) AS reached FROM looked)
    SELECT archive.seq AS newest, reach.reached, found.* FROM archive CROSS JOIN reach LEFT JOIN LATERAL (
      SELECT events.seq, ${EVENT_COLUMNS} FROM events
      WHERE events.seq > ${after} AND events.seq <= reach.reached AND ${selected(only)}
      ORDER BY events.seq LIMIT ${limit}::int
    ) AS found ON true ORDER BY found.seq`
}

/** Finds every event that is selected, and a few more: the name may be elsewhere in the call. */
function selected(only: EventSelector | undefined): RawBuilder<unknown> {
  if (only === undefined) return sql`true`
  const names = only.events.map((name) => Buffer.from(JSON.stringify(name)))
  const named = sql.join(
    [sql`false`, ...names.map((name) => sql`position(${name}::bytea IN events.body) > 0`)],
    sql` OR `,
  )
  return sql`(events.type = ANY(${only.types}::text[]) OR (events.type = 'track' AND (${named})))`
}

function isSelected(event: AcceptedEvent, only: EventSelector | undefined): boolean {
  if (only === undefined || only.types.includes(event.type)) return true
  return event.type === 'track' && only.events.includes(event.event.event ?? '')
}

function sliceOf(rows: readonly (SliceRow & EventRow)[], { after, limit, only }: Wanted): LogSlice {
  const { newest, reached } = rows[0]!
  const found = rows.filter(({ seq }) => seq !== null)
  // A full slice may have left rows behind its last one.
  const through = found.length === limit ? found.at(-1)!.seq! : (reached ?? after)
  const isEnd = reached === null || through >= newest
  const events: PositionedEvent[] = []
  const unreadable: Unreadable[] = []
  for (const row of found) {
    try {
      const event = eventOf(row)
      if (isSelected(event, only)) events.push({ position: row.seq!, event })
    } catch {
      unreadable.push({ id: row.id, reason: DAMAGED_EVENT })
    }
  }
  // The newest events may be gone: waiting for more must not end at once.
  const slice = { events, through: isEnd ? Math.max(through, newest) : through, isEnd }
  return unreadable.length === 0 ? slice : { ...slice, unreadable }
}

interface ArchiveEndOptions {
  readonly postgres: Postgres
  readonly link: NatsLink
  /** Begins the name of the subject on which nodes report how far the archive reaches. */
  readonly prefix: string
  readonly clock: Clock
  readonly pollMs: number
}

/** How far the archive reaches, for those who wait for more: reported by the node that archives, and polled in case that gets lost. */
export class ArchiveEnd {
  readonly #options: ArchiveEndOptions
  readonly #subject: string
  #last = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: ArchiveEndOptions) {
    this.#options = options
    this.#subject = `${options.prefix}.archived`
    options.link.connection.subscribe(this.#subject, {
      callback: (_error, message) => {
        const seq = Number(message.string())
        if (Number.isSafeInteger(seq)) this.#moveTo(seq)
      },
    })
  }

  /** This node has archived something. */
  archived(seq: number): void {
    this.#moveTo(seq)
    const { link } = this.#options
    if (link.isConnected) link.connection.publish(this.#subject, String(seq))
  }

  /** Resolves when the archive reaches beyond the position, or `signal` aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#last <= position) {
      const moved = this.#moved(signal)
      const [row] = await this.#options.postgres.run(
        sql<{ readonly seq: number }>`SELECT seq FROM archive`,
      )
      this.#moveTo(row!.seq)
      if (this.#last <= position) await moved
    }
  }

  /** Resolves when the end has moved, after `pollMs`, or when `signal` aborts. */
  async #moved(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const cancel = this.#options.clock.after(this.#options.pollMs, wake)
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    cancel()
    this.#waiting.delete(wake)
    signal.removeEventListener('abort', wake)
  }

  #moveTo(seq: number): void {
    if (seq <= this.#last) return
    this.#last = seq
    for (const wake of this.#waiting) wake()
  }
}
