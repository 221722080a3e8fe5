import type { DatabaseSync } from 'node:sqlite'

/** A row of `lanes`. The URL is sealed. */
export type LaneRow = readonly [number: number, queue: string, destinationId: string, url: string]

/** Keeps a lane. Safe to call twice. */
export function addLane(db: DatabaseSync): (row: LaneRow) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO lanes VALUES (?, ?, ?, ?)')
  return (row) => void insert.run(...row)
}
