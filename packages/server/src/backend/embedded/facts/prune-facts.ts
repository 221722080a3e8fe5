import type { DatabaseSync } from 'node:sqlite'
import { factTrimmer } from '../profiles/put-fact.ts'

/** Facts that one slice looks at: more only of one profile. */
const PRUNE_FACTS = 5_000

/**
 * Removes facts of some profiles: those that are older than their clauses keep them, those that are more, and those of
 * clauses that are gone. Returns where the next slice begins; `null` at the end.
 */
export function pruneFacts(
  db: DatabaseSync,
): (slice: { readonly now: number; readonly after: number }) => number | null {
  const bounds = db.prepare(
    `SELECT (SELECT MIN(profile) FROM facts WHERE profile > ?1) AS first, (
       SELECT profile FROM facts WHERE profile > ?1 ORDER BY profile LIMIT 1 OFFSET ${PRUNE_FACTS}) AS beyond`,
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
    const { first, beyond } = bounds.get(after)!
    if (first === null) return null
    // The profile at the end has more facts than fit.
    const reached =
      beyond === null ? Number.MAX_SAFE_INTEGER : Math.max(Number(first), Number(beyond) - 1)
    removeOld.run(after, reached, now)
    for (const row of full.all(after, reached)) trim(Number(row['profile']), Number(row['clause']))
    return beyond === null ? null : reached
  }
}
