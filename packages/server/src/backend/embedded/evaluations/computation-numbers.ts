import type { DatabaseSync } from 'node:sqlite'

/** Prepares the number of a computation, by which tables name it. One without a number gets one. */
export function computationNumbers(db: DatabaseSync): (id: string) => number {
  const select = db.prepare('SELECT number FROM computations WHERE id = ?')
  const insert = db.prepare('INSERT INTO computations (id, size) VALUES (?, 0) RETURNING number')
  return (id) => Number((select.get(id) ?? insert.get(id))!['number'])
}
