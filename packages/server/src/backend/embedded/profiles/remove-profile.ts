import type { DatabaseSync } from 'node:sqlite'
import { profileFinder } from './find-profile.ts'

/**
 * Prepares the removal of a user from all profiles of some spaces: the profile with all its ids, facts and results, what was
 * announced of its users, and their places on lists. Returns how many profiles it has removed.
 */
export function profileRemoval(
  db: DatabaseSync,
): (userId: string, spaces: readonly string[]) => number {
  const find = profileFinder(db)
  const users = db.prepare(`SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user'`)
  const ofUser = ['announced', 'listed_users'].map((table) =>
    db.prepare(
      `DELETE FROM ${table} WHERE user_id = ?1 AND computation IN (
         SELECT number FROM computations JOIN catalog ON catalog.id = computations.id
         WHERE kind = 'computation' AND document ->> '$.space' = ?2)`,
    ),
  )
  const ofProfile = ['facts', 'results', 'profile_ids'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE profile = ?`),
  )
  const remove = db.prepare('DELETE FROM profiles WHERE id = ?')
  const countPurge = db.prepare('UPDATE profiles_state SET purges = purges + 1')
  return (userId, spaces) => {
    countPurge.run()
    const profiles = spaces.map((space) => [space, find({ space, kind: 'user', id: userId })] as const)
    let removed = 0
    for (const [space, profile] of profiles) {
      const ids = profile === undefined ? [] : users.all(profile).map(({ id }) => String(id))
      for (const id of new Set([userId, ...ids]))
        for (const removal of ofUser) removal.run(id, space)
      if (profile === undefined) continue
      for (const removal of ofProfile) removal.run(profile)
      remove.run(profile)
      removed++
    }
    return removed
  }
}
