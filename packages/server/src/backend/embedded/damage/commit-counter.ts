import type { DatabaseSync } from 'node:sqlite'

/** Prepares what gives a transaction its number. It is in a row that most transactions change anyway. */
export function commitCounter(db: DatabaseSync): () => number {
  const next = db.prepare('UPDATE log_position SET commits = commits + 1 RETURNING commits')
  return () => Number(next.get()!['commits'])
}

/** Whether the database counts its commits: one from before schema 15 does not. */
export function countsCommits(db: DatabaseSync): boolean {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('log_position')`).all()
  return columns.some(({ name }) => name === 'commits')
}

/** The number of the last commit; 0 in a database that has none, or does not count them. */
export function lastCommit(db: DatabaseSync): number {
  if (!countsCommits(db)) return 0
  return Number(db.prepare('SELECT commits FROM log_position').get()?.['commits'] ?? 0)
}
