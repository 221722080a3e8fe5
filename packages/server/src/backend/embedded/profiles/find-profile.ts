import type { DatabaseSync } from 'node:sqlite'
import type { SpacedId } from '../../profile-rules.ts'

/** Prepares the look-up of the profile of an id; `undefined` where it has none. */
export function profileFinder(db: DatabaseSync): (id: SpacedId) => number | undefined {
  const find = db.prepare('SELECT profile FROM profile_ids WHERE space = ? AND kind = ? AND id = ?')
  return ({ space, kind, id }) => find.get(space, kind, id)?.['profile'] as number | undefined
}
