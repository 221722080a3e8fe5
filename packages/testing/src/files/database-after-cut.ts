import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { TemporaryFolder } from './temporary-folder.ts'

interface DatabaseContents {
  /** `ok`, or the problems that SQLite reports. */
  readonly integrity: string
  readonly messageIds: ReadonlySet<string>
}

/** Reads a database that no process has open. Its files stay unchanged: SQLite recovers a copy. */
export function readDatabase(dataDir: string): DatabaseContents {
  using copy = new TemporaryFolder()
  for (const name of ['hookline.db', 'hookline.db-wal'])
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(copy.path, name))
  try {
    using database = new DatabaseSync(join(copy.path, 'hookline.db'))
    const integrity = database.prepare('PRAGMA integrity_check').get()?.['integrity_check']
    const rows = database.prepare('SELECT message_id FROM events').all()
    return {
      integrity: String(integrity),
      messageIds: new Set(rows.map((row) => String(row['message_id']))),
    }
  } catch (error) {
    return { integrity: String(error), messageIds: new Set() }
  }
}
