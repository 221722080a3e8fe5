import type { DatabaseSync } from 'node:sqlite'

/**
 * The positions that were recorded: of the last event, of the consumer, of those who follow the log, and of the last
 * event that an unfinished purge may remove.
 */
export const RECORDED_POSITIONS = `
  SELECT MAX(seq) AS seq FROM events
  UNION ALL SELECT acked FROM log_position
  UNION ALL SELECT MAX(through) FROM cursors
  UNION ALL SELECT MAX(purge_through) FROM deletions WHERE step <> 'done'`

/**
 * Numbers the events of the log on the writer's thread: one object for all operations that append. A number is never given
 * twice, so a transaction that is rolled back leaves a gap.
 */
export class LogNumbering {
  #last: number

  constructor(db: DatabaseSync) {
    // Where the newest rows were deleted, the next ones must still come after every position that is recorded.
    const newest = db.prepare(`SELECT MAX(seq) AS seq FROM (${RECORDED_POSITIONS})`).get()
    this.#last = Number(newest?.['seq'] ?? 0)
  }

  /** The number that was given last. */
  get last(): number {
    return this.#last
  }

  next(): number {
    return ++this.#last
  }
}
