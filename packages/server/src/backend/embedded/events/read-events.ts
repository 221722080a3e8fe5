import type { DatabaseSync } from 'node:sqlite'
import type { EventOutcome, EventOutcomes } from '@hookline/protocol'
import type { EventFilter } from '../../events.ts'
import type { Page, PageRequest } from '../../page.ts'
import { MOST_CHUNKS, SCAN_CHUNK, scan } from '../database/bounded-scan.ts'
import { leastIdAt } from '../database/conditions.ts'
import type { Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import { EVENT_COLUMNS } from '../log/event-row.ts'
import { firstSeqOf, SEGMENT, segmentOf, SLACK_MS } from '../log/segments.ts'
import { outcomesOf } from './event-outcomes.ts'
import { addTextSearch, eventConditions } from './event-conditions.ts'

const ARCHIVE_COLUMNS = `${EVENT_COLUMNS}, duplicates, last_duplicate_at`

/** Segments that one page looks at where an index finds the rows: some hundredths of a second of work. */
const MOST_SEGMENTS = 10_000

/** The rows of one event. */
export interface ArchivedRows {
  readonly event: Row
  readonly declined: readonly Row[]
}

/** The rows of one event in a list. */
export interface ListedRows extends ArchivedRows {
  readonly outcomes: EventOutcomes
}

interface Wanted {
  readonly filter: EventFilter
  readonly page: PageRequest
}

export function findEvent(db: DatabaseSync): (id: string) => ArchivedRows | undefined {
  const statements = new Statements(db)
  return (id) => {
    const [row] = statements.all(`SELECT ${ARCHIVE_COLUMNS} FROM events WHERE id = ?`, [id])
    return row && archivedRows(statements, row)
  }
}

/** Lists events, newest first. A page looks through a bounded part of the archive (`bounded-scan.ts`). */
export function listEvents(db: DatabaseSync): (wanted: Wanted) => Page<ListedRows> {
  addTextSearch(db)
  const statements = new Statements(db)
  return ({ filter, page }) => {
    const { first, last } = seqsIn(statements, filter)
    const cursor = page.cursor === undefined ? Infinity : Number(page.cursor)
    const start = Math.min(cursor - 1, last)
    const rowsIn = rowsOf(statements, filter)
    const { rows, next } = scan<Row, number>(
      start < first ? null : start,
      { limit: page.limit + 1, steps: isIndexed(filter) ? MOST_SEGMENTS : MOST_CHUNKS },
      (from, limit) => {
        const least = Math.max(first, leastOfStep(from, filter))
        return { rows: rowsIn(from, least, limit), next: least > first ? least - 1 : null }
      },
    )
    const shown = rows.slice(0, page.limit)
    const isFull = rows.length > page.limit
    const place = isFull ? Number(shown.at(-1)!['seq']) : next === null ? null : next + 1
    const outcomes = outcomesOf(
      statements,
      shown.map(({ id }) => String(id)),
    )
    return {
      data: shown.map((row) => ({
        ...archivedRows(statements, row),
        outcomes: outcomes.get(String(row['id'])) ?? {},
      })),
      nextCursor: place === null ? null : String(place),
    }
  }
}

/** Both have an index, which finds the few matching rows of each segment. */
function isIndexed({ messageId, userId }: EventFilter): boolean {
  return messageId !== undefined || userId !== undefined
}

/** The last seq, going down, of the step of a scan that begins at `from`: a segment, or a chunk. */
function leastOfStep(from: number, filter: EventFilter): number {
  return isIndexed(filter) ? firstSeqOf(segmentOf(from)) : from - SCAN_CHUNK + 1
}

/** The matching rows from `from` down to `least`, which is in the same segment where the filter is indexed. */
function rowsOf(
  statements: Statements,
  filter: EventFilter,
): (from: number, least: number, limit: number) => Row[] {
  const { where, values } = eventConditions(filter)
  // Not `LIMIT ?`: SQLite plans the statement again for each new value of it, which takes longer than the look-up.
  const sql = (columns: string): string => `SELECT seq, ${columns} FROM events
    WHERE seq <= ? AND seq >= ? ${isIndexed(filter) ? `AND ${SEGMENT} = ?` : ''} ${where}
    ORDER BY seq DESC LIMIT ? + 0`
  const { outcome } = filter
  return (from, least, limit) => {
    const place = [from, least, ...(isIndexed(filter) ? [segmentOf(from)] : []), ...values]
    if (!outcome) return statements.all(sql(ARCHIVE_COLUMNS), [...place, limit])
    const found = statements.all(sql('id'), [...place, -1])
    return withOutcome(statements, outcome, found).slice(0, limit).flatMap(wholeRow(statements))
  }
}

/** Those of the rows that have the outcome. What became of all of them is looked up at once. */
function withOutcome(statements: Statements, outcome: EventOutcome, rows: readonly Row[]): Row[] {
  const outcomes = outcomesOf(
    statements,
    rows.map(({ id }) => String(id)),
  )
  return rows.filter(({ id }) => outcomes.get(String(id))?.[outcome] !== undefined)
}

function wholeRow(statements: Statements): (row: Row) => Row[] {
  return ({ seq }) =>
    statements.all(`SELECT seq, ${ARCHIVE_COLUMNS} FROM events WHERE seq = ?`, [seq!])
}

/** The seqs of the first and the last event that can have been received in the time of the filter. */
function seqsIn(
  statements: Statements,
  { from, to }: EventFilter,
): { readonly first: number; readonly last: number } {
  const one = (sql: string, values: readonly string[]): number | undefined => {
    const seq = statements.all(sql, values)[0]?.['seq']
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

function archivedRows(statements: Statements, event: Row): ArchivedRows {
  const declined = statements.all(
    'SELECT destination_id AS destinationId, reason, since FROM declined WHERE event_id = ?',
    [event['id']!],
  )
  return { event, declined }
}
