import type { AcceptedEvent } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../../util/time/clock.ts'
import { sleep } from '../../../util/time/sleep.ts'
import type { EventSelector, FollowedLog, LogSlice, PositionedEvent } from '../../log.ts'
import { CORRUPTED_EVENT, type UnreadableRecord } from '../../quarantine.ts'
import type { NatsLink } from '../jetstream/nats-link.ts'
import { EVENT_COLUMNS, eventOf, type EventRow } from '../postgres/event-rows.ts'
import type { Postgres } from '../postgres/postgres.ts'

/** The maximum number of rows that a read with a selector examines, in a few milliseconds. */
const MAX_EXAMINED = 5_000

/** If no event is selected, one row contains nulls. */
interface SliceRow {
  readonly newest: number
  readonly reached: number | null
  readonly seq: number | null
}

interface ReadRequest {
  readonly after: number
  readonly limit: number
  readonly only?: EventSelector
}

export class PostgresFollowedLog implements FollowedLog {
  readonly #postgres: Postgres
  readonly #end: ArchiveEnd

  constructor(postgres: Postgres, end: ArchiveEnd) {
    this.#postgres = postgres
    this.#end = end
  }

  async read(request: ReadRequest): Promise<LogSlice> {
    return sliceOf(await this.#postgres.run(sliceSql(request)), request)
  }

  appendedAfter(position: number, signal: AbortSignal): Promise<void> {
    return this.#end.beyond(position, signal)
  }
}

/** The events after a position, among the examined rows. */
function sliceSql({ after, limit, only }: ReadRequest): RawBuilder<SliceRow & EventRow> {
  const examined = only === undefined ? limit : MAX_EXAMINED
  return sql`
    WITH looked AS MATERIALIZED (
      SELECT seq FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${examined}::int
    ), reach AS (SELECT max(seq) AS reached FROM looked)
    SELECT archive.seq AS newest, reach.reached, found.* FROM archive CROSS JOIN reach LEFT JOIN LATERAL (
      SELECT events.seq, ${EVENT_COLUMNS} FROM events
      WHERE events.seq > ${after} AND events.seq <= reach.reached AND ${selectorCondition(only)}
      ORDER BY events.seq LIMIT ${limit}::int
    ) AS found ON true ORDER BY found.seq`
}

/** May match other events, because the name can occur elsewhere in the body. */
function selectorCondition(only: EventSelector | undefined): RawBuilder<unknown> {
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

function sliceOf(
  rows: readonly (SliceRow & EventRow)[],
  { after, limit, only }: ReadRequest,
): LogSlice {
  const { newest, reached } = rows[0]!
  const eventRows = rows.filter(({ seq }) => seq !== null)
  // A full slice may omit examined rows after its last one.
  const through = eventRows.length === limit ? eventRows.at(-1)!.seq! : (reached ?? after)
  const isEnd = reached === null || through >= newest
  const events: PositionedEvent[] = []
  const unreadable: UnreadableRecord[] = []
  for (const row of eventRows) {
    try {
      const event = eventOf(row)
      if (isSelected(event, only)) events.push({ position: row.seq!, event })
    } catch {
      unreadable.push({ id: row.id, reason: CORRUPTED_EVENT })
    }
  }
  // The newest events may have been removed: waiting for later ones must not resolve immediately.
  const slice = { events, through: isEnd ? Math.max(through, newest) : through, isEnd }
  return unreadable.length === 0 ? slice : { ...slice, unreadable }
}

interface ArchiveEndOptions {
  readonly postgres: Postgres
  readonly link: NatsLink
  /** Prefix of the subject on which nodes report the last seq. */
  readonly prefix: string
  readonly clock: Clock
  readonly pollMs: number
}

/** Waits for new events in the archive: the archiving node reports the last seq, and polling covers lost reports. */
export class ArchiveEnd {
  readonly #options: ArchiveEndOptions
  readonly #subject: string
  #last = 0
  /** Aborts when the archive grows. */
  #growth = new AbortController()

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

  /** Reports the last seq that this node has archived. */
  archived(seq: number): void {
    this.#moveTo(seq)
    const { link } = this.#options
    if (link.isConnected) link.connection.publish(this.#subject, String(seq))
  }

  /** Resolves when the archive has events after the position, or `signal` aborts. */
  async beyond(position: number, signal: AbortSignal): Promise<void> {
    const { postgres, clock, pollMs } = this.#options
    while (!signal.aborted && this.#last <= position) {
      const woken = AbortSignal.any([signal, this.#growth.signal])
      const [row] = await postgres.run(sql<{ readonly seq: number }>`SELECT seq FROM archive`)
      this.#moveTo(row!.seq)
      if (this.#last <= position) await sleep(clock, pollMs, woken)
    }
  }

  #moveTo(seq: number): void {
    if (seq <= this.#last) return
    this.#last = seq
    this.#growth.abort()
    this.#growth = new AbortController()
  }
}
