import type { DatabaseSync } from 'node:sqlite'

export interface CatalogRecord {
  readonly kind: 'source' | 'destination' | 'computation'
  readonly id: string
  readonly version: number
  readonly document: string
}

/** Inserts records of version 1, and replaces the version before of the others: all of them or none. Returns whether it did. */
export function putCatalogRecords(
  db: DatabaseSync,
): (records: readonly CatalogRecord[]) => boolean {
  const select = db.prepare('SELECT version FROM catalog WHERE kind = ? AND id = ?')
  const put = db.prepare('INSERT OR REPLACE INTO catalog VALUES (?, ?, ?, ?)')
  const isNext = ({ kind, id, version }: CatalogRecord): boolean =>
    version === Number(select.get(kind, id)?.['version'] ?? 0) + 1
  return (records) => {
    if (!records.every(isNext)) return false
    for (const { kind, id, version, document } of records) put.run(kind, id, version, document)
    return true
  }
}

/** Removes records by kind and id; ignores those that do not exist. */
export function removeCatalogRecord(
  db: DatabaseSync,
): (records: readonly Pick<CatalogRecord, 'kind' | 'id'>[]) => void {
  const remove = db.prepare('DELETE FROM catalog WHERE kind = ? AND id = ?')
  return (records) => {
    for (const { kind, id } of records) remove.run(kind, id)
  }
}

/** Keeps when a write key was last used. */
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
