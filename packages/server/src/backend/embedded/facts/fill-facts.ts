import type { DatabaseSync } from 'node:sqlite'
import type { FillSlice } from '../../facts.ts'
import { profileFinder } from '../profiles/find-profile.ts'
import { changeCounter, profileToucher, purgeCount } from '../profiles/profiles-state.ts'
import { factWriter } from '../profiles/put-fact.ts'

/** Adds facts of archived events, where their users have a profile. Returns false where the slice is out of date. */
export function fillFacts(db: DatabaseSync): (slice: FillSlice) => boolean {
  const purges = purgeCount(db)
  const nextChange = changeCounter(db)
  const profileOf = profileFinder(db)
  const touch = profileToucher(db)
  const putFact = factWriter(db)
  const advance = db.prepare(
    `UPDATE fact_clauses SET filled_through = max(filled_through, min(fill_through, ?)) WHERE number = ?`,
  )
  return ({ clauses, through, facts, purges: seenPurges, at }) => {
    if (purges() !== seenPurges) return false
    const touched = new Set<number>()
    for (const { ids, space, ...fact } of facts) {
      const found = ids.map((id) => profileOf({ space, ...id }))
      const profile = found.find((each) => each !== undefined)
      if (profile !== undefined && putFact(profile, fact)) touched.add(profile)
    }
    const version = nextChange()
    for (const profile of touched) touch(profile, { at, version })
    for (const clause of clauses) advance.run(through, clause)
    return true
  }
}
