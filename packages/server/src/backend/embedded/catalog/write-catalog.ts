import type { DatabaseSync } from 'node:sqlite'

export interface CatalogRecord {
  readonly kind: 'source' | 'destination'
  readonly id: string
  readonly version: number
  readonly document: string
}

/** Inserts version 1 of a record, or replaces the version before. Returns whether it did. */
export function putCatalogRecord(db: DatabaseSync): (record: CatalogRecord) => boolean {
  const insert = db.prepare('INSERT OR IGNORE INTO catalog VALUES (?, ?, ?, ?)')
  const replace = db.prepare(
    'UPDATE catalog SET version = ?, document = ? WHERE kind = ? AND id = ? AND version = ?',
  )
  return ({ kind, id, version, document }) => {
    const { changes } =
      version === 1
        ? insert.run(kind, id, version, document)
        : replace.run(version, document, kind, id, version - 1)
    return changes === 1
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
