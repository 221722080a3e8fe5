import type { DatabaseSync } from 'node:sqlite'

/** Prepares what gives a transaction its number. It is in a row that most transactions change anyway. */
export function commitCounter(db: DatabaseSync): () => number {
  const next = db.prepare('UPDATE log_position SET commits = commits + 1 RETURNING commits')
  return () => Number(next.get()!['commits'])
}

/** The number of the last commit; 0 in a database that has none. */
export function lastCommit(db: DatabaseSync): number {
  const isThere =
    db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log_position'").get() !== undefined
  return isThere
    ? Number(db.prepare('SELECT commits FROM log_position').get()?.['commits'] ?? 0)
    : 0
}
