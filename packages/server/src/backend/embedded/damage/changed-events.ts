import type { DatabaseSync } from 'node:sqlite'
import { EVENT_COLUMNS, readableEventOf } from '../log/event-row.ts'
import { countsCommits } from './commit-counter.ts'
import type { Damage } from './damages.ts'

/** The most events that are named one by one. */
const MOST_NAMED = 100

/**
 * Tells the numbers of events with other bytes than were stored. They stay in the archive, are not sent, and what belongs to
 * them may not know them any more.
 */
export function changedEvents(db: DatabaseSync): Damage[] {
  // Events of older schemas have no checksum.
  if (!countsCommits(db)) return []
  const changed: number[] = []
  const rows = db.prepare(`SELECT seq, ${EVENT_COLUMNS} FROM events ORDER BY seq`)
  for (const row of rows.iterate())
    if (readableEventOf(row) === undefined) changed.push(Number(row['seq']))
  if (changed.length === 0) return []
  const ranges =
    changed.length > MOST_NAMED
      ? [`${changed[0]} to ${changed.at(-1)}`]
      : changed.map((seq) => `${seq} to ${seq}`)
  const where = `numbers ${ranges.join(', numbers ')}`
  const description = `Table events: ${changed.length} rows have changed bytes (${where}).`
  return [{ description, blocks: false }]
}
