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
export function factTrimmer(db: DatabaseSync): (profile: number, clause: number) => void {
  const trim = db.prepare(
    `DELETE FROM facts WHERE profile = ?1 AND clause = ?2 AND (at, position) <= (
       SELECT at, position FROM facts WHERE profile = ?1 AND clause = ?2 ORDER BY at DESC, position DESC
       LIMIT 1 OFFSET ifnull((SELECT keep_most FROM fact_clauses WHERE number = ?2), 0))`,
  )
  return (profile, clause) => {
    trim.run(profile, clause)
  }
}
