import type { DatabaseSync } from 'node:sqlite'
import { type SecretBox, SecretBoxError } from '../../../util/secrets/secret-box.ts'
import { type SqliteRow, hasTable } from './statements.ts'

export type OnUnreadable = (row: { readonly table: string; readonly key: number }) => void

interface SealedTable {
  readonly table: string
  readonly key: string
  readonly sealed: string
  readonly label: string
}

const TABLES: readonly SealedTable[] = [
  { table: 'lanes', key: 'number', sealed: 'sealed_url', label: 'destination_id' },
  { table: 'audit', key: 'seq', sealed: 'sealed', label: 'id' },
  { table: 'catalog', key: 'rowid', sealed: 'settings', label: 'id' },
]

export function usedKeys(db: DatabaseSync): ReadonlySet<string> {
  if (!hasTable(db, 'encryption_keys')) return new Set()
  const rows = db.prepare('SELECT id FROM encryption_keys').all()
  return new Set(rows.map(({ id }) => String(id)))
}

/**
 * Seals all secrets with the key of `box` and records its id, unless this key is already in use.
 * Skips corrupted rows.
 */
export function reseal(
  db: DatabaseSync,
  box: SecretBox,
  onUnreadable: OnUnreadable = () => undefined,
): void {
  if (usedKeys(db).has(box.keyId)) return
  try {
    db.exec('BEGIN IMMEDIATE')
    for (const table of TABLES) sealTable(db, table, box, onUnreadable)
    db.exec('DELETE FROM encryption_keys')
    db.prepare('INSERT INTO encryption_keys (id) VALUES (?)').run(box.keyId)
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

function sealTable(
  db: DatabaseSync,
  sealedTable: SealedTable,
  box: SecretBox,
  onUnreadable: OnUnreadable,
): void {
  const { table, sealed: column, key: keyColumn } = sealedTable
  const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${keyColumn} = ?`)
  for (const { key, sealed, label } of rowsOf(db, sealedTable)) {
    const text = openedText(box, String(sealed), String(label))
    if (text === undefined) onUnreadable({ table, key: Number(key) })
    else update.run(box.seal(text, String(label)), Number(key))
  }
}

const SLICE_ROWS = 500

function* rowsOf(
  db: DatabaseSync,
  { table, key, sealed, label }: SealedTable,
): Iterable<SqliteRow> {
  const slice = db.prepare(
    `SELECT ${key} AS key, ${sealed} AS sealed, ${label} AS label FROM ${table}
     WHERE ${key} > ? AND ${sealed} IS NOT NULL ORDER BY ${key} LIMIT ${SLICE_ROWS}`,
  )
  let rows: SqliteRow[] = []
  do {
    rows = slice.all(Number(rows.at(-1)?.['key'] ?? 0))
    yield* rows
  } while (rows.length > 0)
}

/** The opened text; `undefined` if it is corrupted or its key is missing. */
export function openedText(box: SecretBox, sealed: string, label: string): string | undefined {
  try {
    return box.open(sealed, label)
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined
    throw error
  }
}
