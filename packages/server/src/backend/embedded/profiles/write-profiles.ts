import type { DatabaseSync } from 'node:sqlite'
import type { ProfileChange, ProfileSlice } from '../../profiles.ts'
import { OpenProfiles } from './open-profiles.ts'
import { changeCounter, CURSOR, profilesPosition, purgeCount } from './profiles-state.ts'
import { seeAt } from './profile-row.ts'
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
        const profile = profileOf(profiles, change)
        applyTo(profiles, profile, change)
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

/** The profile of the event, after it is one with the profiles that the event joins. */
function profileOf(profiles: OpenProfiles, change: ProfileChange): number {
  const { space, userId, anonymousId, joins } = change
  const own =
    userId === undefined
      ? profiles.require({ space, kind: 'anonymous', id: anonymousId! }, true)
      : profiles.require({ space, kind: 'user', id: userId }, true)
  return joins.reduce((profile, id) => {
    const isSeen = id.kind === 'anonymous' && id.id === anonymousId
    return profiles.join(profile, profiles.require({ space, ...id }, isSeen))
  }, own)
}

function applyTo(profiles: OpenProfiles, profile: number, change: ProfileChange): void {
  const { type, timestamp, receivedAt, eventId, sourceId, traits = {} } = change
  const row = profiles.row(profile)
  row.counts[type] = (row.counts[type] ?? 0) + 1
  seeAt(row, timestamp)
  for (const [name, value] of Object.entries(traits)) {
    if (value === undefined) continue
    profiles.setTrait(profile, name, [value, timestamp, receivedAt, eventId, sourceId])
  }
}
