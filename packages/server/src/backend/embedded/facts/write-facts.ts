import type { DatabaseSync } from 'node:sqlite'
import type { Fact } from '../../profiles.ts'

/** One in so many facts of a profile makes those go that are more than the clause keeps. */
const TRIM_EVERY = 32

/** Prepares the writing of a fact. One that is there already stays. Returns whether it was new. */
export function factWriter(
  db: DatabaseSync,
): (profile: number, fact: Fact & { readonly clause: number }) => boolean {
  const insert = db.prepare('INSERT OR IGNORE INTO facts VALUES (?, ?, ?, ?, ?)')
  const trim = factTrimmer(db)
  return (profile, { clause, at, position, value }) => {
    const json = value === null ? null : JSON.stringify(value)
    const isNew = insert.run(profile, clause, at, position, json).changes > 0
    if (isNew && position % TRIM_EVERY === 0) trim(profile, clause)
    return isNew
  }
}

/** Prepares the removal of the oldest facts of a profile, beyond the number that the clause keeps: 0 where it is gone. */
function factTrimmer(db: DatabaseSync): (profile: number, clause: number) => void {
  const trim = db.prepare(
    `DELETE FROM facts WHERE profile = ?1 AND clause = ?2 AND (at, position) <= (
       SELECT at, position FROM facts WHERE profile = ?1 AND clause = ?2 ORDER BY at DESC, position DESC
       LIMIT 1 OFFSET ifnull((SELECT keep_most FROM fact_clauses WHERE number = ?2), 0))`,
  )
  return (profile, clause) => {
    trim.run(profile, clause)
  }
}

const PRUNE_PROFILES = 500

/**
 * Removes facts of some profiles: those that are older than their clauses keep them, those that are more, and those of
 * clauses that are gone. Returns where the next slice begins; `null` at the end.
 */
export function pruneFacts(
  db: DatabaseSync,
): (slice: { readonly now: number; readonly after: number }) => number | null {
  const last = db.prepare(
    `SELECT MAX(profile) AS last, COUNT(*) AS count FROM (
       SELECT DISTINCT profile FROM facts WHERE profile > ? ORDER BY profile LIMIT ${PRUNE_PROFILES})`,
  )
  const removeOld = db.prepare(
    `DELETE FROM facts WHERE profile > ?1 AND profile <= ?2 AND (
       at <= ?3 - (SELECT keep_ms FROM fact_clauses WHERE number = clause)
       OR NOT EXISTS (SELECT 1 FROM fact_clauses WHERE number = clause))`,
  )
  const full = db.prepare(
    `SELECT profile, clause FROM facts WHERE profile > ? AND profile <= ? GROUP BY profile, clause
     HAVING COUNT(*) > (SELECT keep_most FROM fact_clauses WHERE number = clause)`,
  )
  const trim = factTrimmer(db)
  return ({ now, after }) => {
    const { last: reached, count } = last.get(after)!
    if (reached === null) return null
    removeOld.run(after, reached!, now)
    for (const row of full.all(after, reached!)) trim(Number(row['profile']), Number(row['clause']))
    return Number(count) < PRUNE_PROFILES ? null : Number(reached)
  }
}
