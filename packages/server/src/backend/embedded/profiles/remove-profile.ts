import { DEFAULT_SPACE } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import { profileFinder } from './find-profile.ts'

/**
 * Prepares the removal of a user's profiles in the spaces of these sources; `null`: in every space. A profile goes with all
 * its ids, facts and results, with what was announced of its users, and with their places on lists: also those of
 * computations that are gone and not forgotten yet. Slices that were read before are refused from then on.
 */
export function profileRemoval(
  db: DatabaseSync,
): (userId: string, sourceIds: readonly string[] | null) => void {
  const spacesOf = spaceFinder(db)
  const find = profileFinder(db)
  const users = db.prepare(`SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user'`)
  const ofUser = ['announced', 'listed_users'].map((table) =>
    db.prepare(
      `DELETE FROM ${table} WHERE user_id = ?1 AND computation NOT IN (
         SELECT number FROM computations JOIN catalog ON catalog.id = computations.id
         WHERE kind = 'computation' AND document ->> '$.space' <> ?2)`,
    ),
  )
  const ofProfile = ['profile_traits', 'facts', 'results', 'profile_ids'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE profile = ?`),
  )
  const remove = db.prepare('DELETE FROM profiles WHERE id = ?')
  const countPurge = db.prepare('UPDATE profiles_state SET purges = purges + 1')
  return (userId, sourceIds) => {
    countPurge.run()
    for (const space of spacesOf(sourceIds)) {
      const profile = find({ space, kind: 'user', id: userId })
      const ids = profile === undefined ? [] : users.all(profile).map(({ id }) => String(id))
      for (const id of new Set([userId, ...ids]))
        for (const removal of ofUser) removal.run(id, space)
      if (profile === undefined) continue
      for (const removal of ofProfile) removal.run(profile)
      remove.run(profile)
    }
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
