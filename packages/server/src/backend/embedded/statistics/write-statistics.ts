import type { DatabaseSync } from 'node:sqlite'
import { type Counts, type CountsRow, type Span, sumOf } from '../../statistics.ts'

/** Adds counts to those that are kept. */
export function addCounts(db: DatabaseSync): (rows: readonly CountsRow[]) => void {
  const read = db.prepare(
    `SELECT counts FROM statistics
     WHERE span = ? AND start = ? AND source_id = ? AND destination_id = ?`,
  )
  const write = db.prepare('INSERT OR REPLACE INTO statistics VALUES (?, ?, ?, ?, ?)')
  return (rows) => {
    for (const { span, start, sourceId, destinationId, counts } of rows) {
      const key = [span, start, sourceId, destinationId] as const
      const found = read.get(...key)?.['counts']
      const before = found === undefined ? {} : (JSON.parse(String(found)) as Counts)
      write.run(...key, JSON.stringify(sumOf(before, counts)))
    }
  }
}

export function removeCounts(
  db: DatabaseSync,
): (old: { readonly span: Span; readonly before: number }) => void {
  const remove = db.prepare('DELETE FROM statistics WHERE span = ? AND start < ?')
  return ({ span, before }) => {
    remove.run(span, before)
  }
}
