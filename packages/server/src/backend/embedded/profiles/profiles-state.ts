import type { DatabaseSync } from 'node:sqlite'

/** The name of the cursor with which profiles follow the log. */
export const CURSOR = 'profiles'

/** Prepares the position of the last event that is applied to profiles; `null` while none are kept. */
export function profilesPosition(db: DatabaseSync): () => number | null {
  const select = db.prepare('SELECT through FROM cursors WHERE name = ?')
  return () => (select.get(CURSOR)?.['through'] ?? null) as number | null
}

/** Prepares the count of purges so far. */
export function purgeCount(db: DatabaseSync): () => number {
  const select = db.prepare('SELECT purges FROM profiles_state')
  return () => Number(select.get()!['purges'])
}

/** Prepares the next number of a change: the version of the profiles that a transaction changes. */
export function changeCounter(db: DatabaseSync): () => number {
  const next = db.prepare(
    'UPDATE profiles_state SET changes = changes + 1 RETURNING changes AS number',
  )
  return () => Number(next.get()!['number'])
}

/** Prepares what makes a profile dirty since `at`, unless it was before. */
export function profileToucher(
  db: DatabaseSync,
): (profile: number, change: { readonly at: number; readonly version: number }) => void {
  const touch = db.prepare(
    'UPDATE profiles SET version = ?, dirty_since = COALESCE(dirty_since, ?) WHERE id = ?',
  )
  return (profile, { at, version }) => {
    touch.run(version, at, profile)
  }
}
