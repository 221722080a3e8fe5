import type { DatabaseSync } from 'node:sqlite'

export function addToken(
  db: DatabaseSync,
): (token: { readonly id: string; readonly document: string }) => void {
  const insert = db.prepare('INSERT INTO tokens VALUES (?, NULL, ?)')
  return ({ id, document }) => {
    insert.run(id, document)
  }
}

export function removeToken(db: DatabaseSync): (id: string) => void {
  const remove = db.prepare('DELETE FROM tokens WHERE id = ?')
  return (id) => {
    remove.run(id)
  }
}

export function markTokenUsed(
  db: DatabaseSync,
): (used: { readonly id: string; readonly at: number }) => void {
  const update = db.prepare('UPDATE tokens SET last_used_at = ? WHERE id = ?')
  return ({ id, at }) => {
    update.run(at, id)
  }
}
