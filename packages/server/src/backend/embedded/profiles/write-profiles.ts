import type { DatabaseSync } from 'node:sqlite'
import { applyChange } from '../../profile-rules.ts'
import type { ProfileSlice } from '../../profiles.ts'
import { OpenProfiles } from './open-profiles.ts'
import { changeCounter, CURSOR, profilesPosition, purgeCount } from './profiles-state.ts'
import { factWriter } from './put-fact.ts'

/** Begins to follow the log at its first event. */
export function beginProfiles(db: DatabaseSync): (nothing: null) => void {
  const insert = db.prepare('INSERT OR IGNORE INTO cursors (name, through) VALUES (?, 0)')
  return () => {
    insert.run(CURSOR)
  }
}

/** Applies a slice of the log to the profiles, and moves their cursor. Returns false where the slice is out of date. */
export function applyToProfiles(db: DatabaseSync): (slice: ProfileSlice) => boolean {
  const position = profilesPosition(db)
  const move = db.prepare('UPDATE cursors SET through = ? WHERE name = ?')
  const purges = purgeCount(db)
  const nextChange = changeCounter(db)
  const profiles = new OpenProfiles(db)
  const putFact = factWriter(db)
  return ({ after, through, changes, purges: seenPurges, at }) => {
    if (position() !== after || purges() !== seenPurges) return false
    try {
      for (const change of changes) {
        const profile = applyChange(profiles, change)
        for (const { clause, value } of change.facts) {
          putFact(profile, { clause, value, at: change.timestamp, position: change.position })
          profiles.touch(profile)
        }
      }
      profiles.close(at, nextChange())
    } finally {
      profiles.forget()
    }
    move.run(through, CURSOR)
    return true
  }
}
