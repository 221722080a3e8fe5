import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import { openedText } from './opened-text.ts'
import type { Row } from './rows.ts'

/** Is told of a damaged row: its table, and its primary key. */
export type OnUnreadable = (row: { readonly table: string; readonly key: number }) => void

/** A table that has a sealed column. */
interface SealedTable {
  readonly table: string
  /** Its INTEGER PRIMARY KEY. */
  readonly key: string
  readonly sealed: string
  /** The column of the labels that the texts are sealed under. */
  readonly label: string
}

const TABLES: readonly SealedTable[] = [
  { table: 'lanes', key: 'number', sealed: 'url', label: 'destination_id' },
  { table: 'audit', key: 'seq', sealed: 'sealed', label: 'id' },
]

/** Seals the lanes and the audit log again, with the key of `box`. A damaged row stays as it is. */
export function sealAgain(db: DatabaseSync, box: SecretBox, onUnreadable: OnUnreadable): void {
  for (const each of TABLES) {
    const update = db.prepare(`UPDATE ${each.table} SET ${each.sealed} = ? WHERE ${each.key} = ?`)
    for (const { key, sealed, label } of rowsOf(db, each)) {
      const text = openedText(box, String(sealed), String(label))
      if (text === undefined) onUnreadable({ table: each.table, key: Number(key) })
      else update.run(box.seal(text, String(label)), Number(key))
    }
  }
}

const SLICE_ROWS = 500

/** The rows slice by slice, because a long audit log may not fit into memory. */
function* rowsOf(db: DatabaseSync, { table, key, sealed, label }: SealedTable): Iterable<Row> {
  const slice = db.prepare(
    `SELECT ${key} AS key, ${sealed} AS sealed, ${label} AS label FROM ${table}
     WHERE ${key} > ? ORDER BY ${key} LIMIT ${SLICE_ROWS}`,
  )
  let rows: Row[] = []
  do {
    rows = slice.all(Number(rows.at(-1)?.['key'] ?? 0))
    yield* rows
  } while (rows.length > 0)
}
