import { idFrom } from '@hookline/protocol'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Archiving, ArchivedEvent, Declined, EventFilter, Events } from '../events.ts'
import type { Page, PageRequest } from '../page.ts'
import { acceptedEventOf, EVENT_COLUMNS } from './event-row.ts'
import { eventConditions } from './list-conditions.ts'
import { SCAN_CHUNK, scan, type Scanned } from './scan.ts'
import { firstSeqOf, SEGMENT, segmentOf } from './segments.ts'
import { Statements } from './statements.ts'
import type { Duplicates } from './sqlite-log.ts'
import type { DeclinedRow } from './write-declined.ts'
import type { Writer } from './writer.ts'

type Row = Record<string, SQLOutputValue>

/** Events reach the table a little after they were received, not always in that order. */
const SLACK_MS = 60_000
/** Look-ups in an index, a few microseconds each. */
const SEGMENTS_IN_ONE_GO = 500

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

  /** Nothing to write for an event that no destination declined: appending has archived it. */
  async archive(entries: readonly Archiving[]): Promise<ReadonlySet<string>> {
    const duplicates = new Set<string>()
    const rows: DeclinedRow[] = []
    for (const { event, declined } of entries) {
      if (this.#duplicates.has(event.id)) duplicates.add(event.id)
      else
        for (const { destinationId, reason } of declined)
          rows.push([event.id, destinationId, reason])
    }
    if (rows.length > 0) await this.#writer.run('keepDeclined', rows)
    return duplicates
  }

  async find(id: string): Promise<ArchivedEvent | undefined> {
    const [row] = this.#statements.all(
      `SELECT ${EVENT_COLUMNS}, duplicates FROM events WHERE id = ?`,
      [id],
    )
    return row && this.#archivedEventOf(row)
  }

  async list(filter: EventFilter, page: PageRequest): Promise<Page<ArchivedEvent>> {
    const { where, values } = eventConditions(filter)
    const cursor = page.cursor === undefined ? Infinity : Number(page.cursor)
    const { first, last } = this.#seqsIn(filter)
    // Both have an index, which finds the few there are in each segment.
    const isIndexed = filter.messageId !== undefined || filter.userId !== undefined
    const start = Math.min(cursor - 1, last)
    const step = (from: number, limit: number): Scanned<Row, number> => {
      const chunk = isIndexed ? firstSeqOf(segmentOf(from)) : from - SCAN_CHUNK + 1
      const least = Math.max(first, chunk)
      const found = this.#statements.all(
        `SELECT seq, ${EVENT_COLUMNS}, duplicates FROM events
         WHERE seq <= ? AND seq >= ? ${isIndexed ? `AND ${SEGMENT} = ?` : ''} ${where}
         ORDER BY seq DESC LIMIT ?`,
        [from, least, ...(isIndexed ? [segmentOf(from)] : []), ...values, limit],
      )
      return { rows: found, next: least > first ? least - 1 : null }
    }
    const { rows, next } = await scan(start < first ? null : start, page.limit + 1, {
      step,
      stepsInOneGo: isIndexed ? SEGMENTS_IN_ONE_GO : 1,
    })
    const shown = rows.slice(0, page.limit)
    const isFull = rows.length > page.limit
    const place = isFull ? Number(shown.at(-1)!['seq']) : next === null ? null : next + 1
    return {
      data: shown.map((row) => this.#archivedEventOf(row)),
      nextCursor: place === null ? null : String(place),
    }
  }

  /** The places of the first and the last event that can have been received in the time asked for. */
  #seqsIn({ from, to }: EventFilter): { readonly first: number; readonly last: number } {
    const one = (sql: string, values: readonly string[]): number | undefined => {
      const seq = this.#statements.all(sql, values)[0]?.['seq']
      return seq === undefined || seq === null ? undefined : Number(seq)
    }
    const first =
      from === undefined
        ? one('SELECT MIN(seq) AS seq FROM events', [])
        : one('SELECT seq FROM events WHERE id >= ? ORDER BY id LIMIT 1', [idAt(from - SLACK_MS)])
    const last =
      to === undefined
        ? one('SELECT MAX(seq) AS seq FROM events', [])
        : one('SELECT seq FROM events WHERE id < ? ORDER BY id DESC LIMIT 1', [idAt(to + SLACK_MS)])
    return { first: first ?? Infinity, last: last ?? -Infinity }
  }

  #archivedEventOf(row: Row): ArchivedEvent {
    const declined = this.#statements.all(
      'SELECT destination_id AS destinationId, reason FROM declined WHERE event_id = ?',
      [row['id']!],
    )
    return {
      ...acceptedEventOf(row),
      duplicates: Number(row['duplicates']),
      declined: declined.map((decision) => ({ ...decision }) as unknown as Declined),
    }
  }
}

/** The least id that an event received at this moment can have. */
function idAt(ms: number): string {
  return idFrom('evt', Math.max(0, ms), new Uint8Array(10))
}
