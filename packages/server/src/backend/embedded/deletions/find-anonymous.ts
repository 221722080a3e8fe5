import type { DatabaseSync } from 'node:sqlite'
import { ANONYMOUS_ID } from '../log/event-row.ts'

/** How long one read may take, and how many events it may find. */
const READ_MS = 250
const MOST_FOUND = 1_000
/** Events that one statement looks at. */
const CHUNK = 2_000

/** The anonymous ids to look for, and where in the log. */
interface Search {
  readonly anonymousIds: readonly string[]
  /** The seq of the last event that was looked at. */
  readonly after: number
  /** The seq of the last event to look at. */
  readonly through: number
}

/** The events that were found up to a seq. */
export interface FoundAnonymous {
  readonly seqs: readonly number[]
  readonly reached: number
}

/**
 * Finds the events with one of these anonymousIds, and the alias calls that name one as the former id. It reads every event:
 * an index would cost each append, and few deletions need it.
 */
export function findAnonymous(db: DatabaseSync): (search: Search) => FoundAnonymous {
  const least = db.prepare('SELECT MIN(seq) AS seq FROM events')
  const wanted = '(SELECT value FROM json_each(?3))'
  const find = db.prepare(
    `SELECT seq FROM events WHERE seq > ?1 AND seq <= ?2 AND (previous_id IN ${wanted}
       OR ${ANONYMOUS_ID} IN ${wanted}) ORDER BY seq`,
  )
  return ({ anonymousIds, after, through }) => {
    const deadline = performance.now() + READ_MS
    const ids = JSON.stringify(anonymousIds)
    const seqs: number[] = []
    let reached = Math.max(after, Number(least.get()!['seq'] ?? through + 1) - 1)
    // At least one step, however long the machine has kept the thread waiting.
    while (reached < through) {
      const end = Math.min(reached + CHUNK, through)
      for (const { seq } of find.all(reached, end, ids)) seqs.push(Number(seq))
      reached = end
      if (seqs.length >= MOST_FOUND || performance.now() >= deadline) break
    }
    return { seqs, reached: Math.min(reached, through) }
  }
}
