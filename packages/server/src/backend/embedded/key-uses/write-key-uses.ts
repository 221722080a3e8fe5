import type { DatabaseSync } from 'node:sqlite'

export function markKeyUsed(
  db: DatabaseSync,
): (used: { readonly key: string; readonly at: number }) => void {
  const upsert = db.prepare(
    `INSERT INTO key_uses VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET last_used_at = excluded.last_used_at`,
  )
  return ({ key, at }) => {
    upsert.run(key, at)
  }
}
