import type { DatabaseSync } from 'node:sqlite'

/** Prepares what gives a transaction its number. It is in a row that most transactions change anyway. */
export function commitCounter(db: DatabaseSync): () => number {
  const next = db.prepare('UPDATE log_position SET commits = commits + 1 RETURNING commits')
  return () => Number(next.get()!['commits'])
}

/** The number of the last commit; 0 in a database that has none, or is from before they were counted. */
export function lastCommit(db: DatabaseSync): number {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('log_position')`).all()
  if (!columns.some(({ name }) => name === 'commits')) return 0
  return Number(db.prepare('SELECT commits FROM log_position').get()?.['commits'] ?? 0)
}
