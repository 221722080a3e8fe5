import { DEFAULT_SPACE } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { ProfileId } from '../../profiles.ts'
import { profileFinder } from './find-profile.ts'

/**
 * Prepares the removal of a user in the spaces of these sources; `null`: in every space. The user goes with the profiles,
 * with what was announced of their users, and with their places on lists: also those of computations that are gone and not
 * forgotten yet.
 */
export function userRemoval(
  db: DatabaseSync,
): (userId: string, sourceIds: readonly string[] | null) => void {
  const removeProfiles = profileRemoval(db)
  const ofUser = ['announced', 'listed_users'].map((table) =>
    db.prepare(
      `DELETE FROM ${table} WHERE user_id = ?1 AND computation NOT IN (
         SELECT number FROM computations JOIN catalog ON catalog.id = computations.id
         WHERE kind = 'computation' AND document ->> '$.space' <> ?2)`,
    ),
  )
  return (userId, sourceIds) => {
    for (const { space, userIds } of removeProfiles({ kind: 'user', id: userId }, sourceIds))
      for (const id of new Set([userId, ...userIds]))
        for (const removal of ofUser) removal.run(id, space)
  }
}

/** A space, and the users of the profile that was removed there. */
interface RemovedProfile {
  readonly space: string
  readonly userIds: readonly string[]
}

/**
 * Prepares the removal of the profiles that have an id, with all their ids, facts and results, in the spaces of these sources;
 * `null`: in every space. Slices that were read before are refused from then on. Returns an entry for each space.
 */
export function profileRemoval(
  db: DatabaseSync,
): (id: ProfileId, sourceIds: readonly string[] | null) => readonly RemovedProfile[] {
  const spacesOf = spaceFinder(db)
  const find = profileFinder(db)
  const users = db.prepare(`SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user'`)
  const ofProfile = ['profile_traits', 'facts', 'results', 'profile_ids'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE profile = ?`),
  )
  const remove = db.prepare('DELETE FROM profiles WHERE id = ?')
  const countPurge = db.prepare('UPDATE profiles_state SET purges = purges + 1')
  return (wanted, sourceIds) => {
    countPurge.run()
    return spacesOf(sourceIds).map((space) => {
      const profile = find({ space, ...wanted })
      if (profile === undefined) return { space, userIds: [] }
      const userIds = users.all(profile).map(({ id }) => String(id))
      for (const removal of ofProfile) removal.run(profile)
      remove.run(profile)
      return { space, userIds }
    })
  }
}

/** Prepares the list of the spaces of some sources, or of all that ever had profiles. */
function spaceFinder(db: DatabaseSync): (sourceIds: readonly string[] | null) => readonly string[] {
  const ofSource = db.prepare(
    `SELECT ifnull(document ->> '$.space', '${DEFAULT_SPACE}') AS space FROM catalog
     WHERE kind = 'source' AND id = ?`,
  )
  const every = db.prepare('SELECT name FROM spaces')
  return (sourceIds) => {
    if (sourceIds === null) return every.all().map(({ name }) => String(name))
    const found = sourceIds.map((id) => ofSource.get(id)?.['space'] ?? DEFAULT_SPACE)
    return [...new Set(found.map(String))]
  }
}
