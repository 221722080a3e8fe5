import { applyChange, idsOf } from '../../profile-rules.ts'
import type { ProfileChange, ProfileSlice } from '../../profiles.ts'
import type { Connection } from '../postgres/postgres.ts'
import { openProfiles } from './load-profiles.ts'
import { lockProfiles, moveCursor } from './profiles-state.ts'
import { saveProfiles } from './save-profiles.ts'
import { type ProfileFact, putFacts } from './write-facts.ts'

/** Applies a slice of the archive to the profiles, and moves their cursor. Returns false where the slice is out of date. */
export async function applySlice(transaction: Connection, slice: ProfileSlice): Promise<boolean> {
  if ((await lockProfiles(transaction)) !== slice.purges) return false
  if (!(await moveCursor(transaction, slice))) return false
  if (slice.changes.length > 0) await applyChanges(transaction, slice)
  return true
}

async function applyChanges(
  transaction: Connection,
  { changes, at }: Pick<ProfileSlice, 'changes' | 'at'>,
): Promise<void> {
  const ids = changes.flatMap(idsOf)
  const withTraits = changes.filter(changesTraits).flatMap(idsOf)
  const profiles = await openProfiles(transaction, { ids, withTraits })
  const facts: ProfileFact[] = []
  for (const change of changes) {
    const profile = applyChange(profiles, change)
    if (change.facts.length > 0) profiles.touch(profile)
    for (const { clause, value } of change.facts)
      facts.push({ profile, clause, value, at: change.timestamp, position: change.position })
  }
  await saveProfiles(transaction, profiles, at)
  const placed = facts.map((fact) => ({ ...fact, profile: profiles.current(fact.profile) }))
  await putFacts(transaction, placed)
}

/** A join gives the traits of one profile to another one. */
function changesTraits({ traits, joins }: ProfileChange): boolean {
  return traits !== undefined || joins.length > 0
}
