import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface StoredEvent {
  readonly seq: number
  readonly id: string
  readonly messageId: string
  readonly body: string
}

/** Reads events row by row, so that a corrupted page costs only its own events. The service must have stopped. */
export function readEvents(dataDir: string, seqs: Iterable<number>): StoredEvent[] {
  try {
    using db = new DatabaseSync(join(dataDir, 'hookline.db'))
    const select = db.prepare('SELECT seq, id, message_id, body FROM events WHERE seq = ?')
    return [...seqs].flatMap((seq) => eventAt(() => select.get(seq)))
  } catch {
    return []
  }
}

function eventAt(read: () => Record<string, unknown> | undefined): StoredEvent[] {
  try {
    const row = read()
    if (row === undefined) return []
    const [id, messageId, body] = [row['id'], row['message_id'], row['body']].map(String)
    return [{ seq: Number(row['seq']), id: id!, messageId: messageId!, body: body! }]
  } catch {
    return []
  }
}

/** All values of a column; empty if the table or the database cannot be read. */
export function readColumn(dataDir: string, table: string, column: string): string[] {
  const file = join(dataDir, 'hookline.db')
  if (!existsSync(file)) return []
  try {
    using db = new DatabaseSync(file)
    return db
      .prepare(`SELECT ${column} AS value FROM ${table}`)
      .all()
      .map(({ value }) => String(value))
  } catch {
    return []
  }
}

/** A database page: its table or index, and its number of cells. */
export interface Page {
  readonly name: string
  /** A prefix of the paths of its child pages. */
  readonly path: string
  readonly type: string
  readonly cells: number
}

/** The pages in a database by number, without free pages. */
export function readPages(dataDir: string): ReadonlyMap<number, Page> {
  using db = new DatabaseSync(join(dataDir, 'hookline.db'))
  const rows = db.prepare('SELECT pageno, name, path, pagetype, ncell FROM dbstat').all()
  return new Map(
    rows.map(({ pageno, name, path, pagetype, ncell }) => [
      Number(pageno),
      { name: String(name), path: String(path), type: String(pagetype), cells: Number(ncell) },
    ]),
  )
}
