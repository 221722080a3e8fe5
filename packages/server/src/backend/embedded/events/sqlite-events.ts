import type { DatabaseSync } from 'node:sqlite'
import type { Archiving, ArchivedEvent, Declined, EventFilter, Events } from '../../events.ts'
import type { Page, PageRequest } from '../../page.ts'
import { SCAN_CHUNK, scan, type Scanned } from '../database/bounded-scan.ts'
import { leastIdAt } from '../database/conditions.ts'
import type { Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { acceptedEventOf, EVENT_COLUMNS } from '../log/event-row.ts'
import { firstSeqOf, SEGMENT, segmentOf, SLACK_MS } from '../log/segments.ts'
import type { Duplicates } from '../log/sqlite-log.ts'
import type { Writer } from '../writer.ts'
import { eventConditions } from './event-conditions.ts'
import type { DeclinedRow } from './write-archive.ts'

const ARCHIVE_COLUMNS = `${EVENT_COLUMNS}, duplicates, last_duplicate_at`

/** How long one step of a scan may take that goes from segment to segment. */
const STEP_MS = 5

/** What one step of a scan looks for: at most `limit` rows from `from` downwards, none below `first`. */
interface Step {
  readonly from: number
  readonly first: number
  readonly limit: number
}

type RowsIn = (from: number, least: number, limit: number) => Row[]

/** The archive on the table `events`, which the log has filled already. */
export class SqliteEvents implements Events {
  readonly #writer: Writer
  readonly #statements: Statements
  readonly #duplicates: Duplicates

  constructor(writer: Writer, reader: DatabaseSync, duplicates: Duplicates) {
    this.#writer = writer
    this.#duplicates = duplicates
    this.#statements = new Statements(reader)
  }

  /** Appending has archived the event already: only declined destinations are written here. */
  async archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>> {
    const duplicates = new Set<string>()
    const rows: DeclinedRow[] = []
    for (const { event, declined } of entries) {
      if (this.#duplicates.has(event.id)) duplicates.add(event.id)
      else
        for (const { destinationId, reason, since = null } of declined)
          rows.push([event.id, destinationId, reason, since])
    }
    if (rows.length > 0) await this.#writer.run('keepDeclined', rows)
    return duplicates
  }

  async find(id: string): Promise<ArchivedEvent | undefined> {
    const [row] = this.#statements.all(`SELECT ${ARCHIVE_COLUMNS} FROM events WHERE id = ?`, [id])
    return row && this.#archivedEventOf(row)
  }

  async list(filter: EventFilter, page: PageRequest): Promise<Page<ArchivedEvent>> {
    const { where, values } = eventConditions(filter)
    const cursor = page.cursor === undefined ? Infinity : Number(page.cursor)
    const { first, last } = this.#seqsIn(filter)
    // Both have an index, which finds the few matching rows of each segment.
    const isIndexed = filter.messageId !== undefined || filter.userId !== undefined
    // Not `LIMIT ?`: SQLite plans the statement again for each new value of it, which takes longer than the look-up.
    const sql = `SELECT seq, ${ARCHIVE_COLUMNS} FROM events
      WHERE seq <= ? AND seq >= ? ${isIndexed ? `AND ${SEGMENT} = ?` : ''} ${where}
      ORDER BY seq DESC LIMIT ? + 0`
    const rowsIn = (from: number, least: number, limit: number): Row[] => {
      const segment = isIndexed ? [segmentOf(from)] : []
      return this.#statements.all(sql, [from, least, ...segment, ...values, limit])
    }
    const start = Math.min(cursor - 1, last)
    const { rows, next } = await scan<Row, number>(
      start < first ? null : start,
      page.limit + 1,
      (from, limit) =>
        isIndexed
          ? this.#statements.together(() => segmentBySegment(rowsIn, { from, first, limit }))
          : chunk(rowsIn, { from, first, limit }),
    )
    const shown = rows.slice(0, page.limit)
    const isFull = rows.length > page.limit
    const place = isFull ? Number(shown.at(-1)!['seq']) : next === null ? null : next + 1
    return {
      data: shown.map((row) => this.#archivedEventOf(row)),
      nextCursor: place === null ? null : String(place),
    }
  }

  /** The seqs of the first and the last event that can have been received in the time of the filter. */
  #seqsIn({ from, to }: EventFilter): { readonly first: number; readonly last: number } {
    const one = (sql: string, values: readonly string[]): number | undefined => {
      const seq = this.#statements.all(sql, values)[0]?.['seq']
      return seq === undefined || seq === null ? undefined : Number(seq)
    }
    const first =
      from === undefined
        ? one('SELECT MIN(seq) AS seq FROM events', [])
        : one('SELECT seq FROM events WHERE id >= ? ORDER BY id LIMIT 1', [
            leastIdAt('evt', from - SLACK_MS),
          ])
    const last =
      to === undefined
        ? one('SELECT MAX(seq) AS seq FROM events', [])
        : one('SELECT seq FROM events WHERE id < ? ORDER BY id DESC LIMIT 1', [
            leastIdAt('evt', to + SLACK_MS),
          ])
    return { first: first ?? Infinity, last: last ?? -Infinity }
  }

  #archivedEventOf(row: Row): ArchivedEvent {
    const declined = this.#statements.all(
      'SELECT destination_id AS destinationId, reason, since FROM declined WHERE event_id = ?',
      [row['id']!],
    )
    const lastDuplicateAt = row['last_duplicate_at']!
    return {
      ...acceptedEventOf(row),
      duplicates: Number(row['duplicates']),
      lastDuplicateAt: lastDuplicateAt === null ? null : Number(lastDuplicateAt),
      declined: declined.map(declinedOf),
    }
  }
}

function declinedOf({ since, ...decision }: Row): Declined {
  return { ...decision, ...(since !== null && { since }) } as unknown as Declined
}

function chunk(rowsIn: RowsIn, { from, first, limit }: Step): Scanned<Row, number> {
  const least = Math.max(first, from - SCAN_CHUNK + 1)
  return { rows: rowsIn(from, least, limit), next: least > first ? least - 1 : null }
}

function segmentBySegment(rowsIn: RowsIn, { from, first, limit }: Step): Scanned<Row, number> {
  const deadline = performance.now() + STEP_MS
  const rows: Row[] = []
  let next: number | null = from
  while (next !== null && rows.length < limit) {
    const least = Math.max(first, firstSeqOf(segmentOf(next)))
    rows.push(...rowsIn(next, least, limit - rows.length))
    next = least > first ? least - 1 : null
    if (performance.now() >= deadline) break
  }
  return { rows, next }
}
