import { chmodSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../../../util/durable-file.ts'

/** The number of pages copied between two turns of the event loop. */
const PAGES = 1_000

/** Copies `source` to `file`, readable by its owner only, while writes continue. The copy appears complete and synced, or not at all. */
export async function copyDatabase(source: string, file: string): Promise<void> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  try {
    await (await open(partial, 'wx', 0o600)).close()
    using reader = new DatabaseSync(source, { readOnly: true })
    // One read transaction: otherwise each commit would restart the copy.
    reader.exec('BEGIN; SELECT COUNT(*) FROM sqlite_schema')
    await backup(reader, partial, { rate: PAGES })
    chmodSync(partial, 0o600)
    await sync(partial)
    await rename(partial, file)
    await syncFolder(dirname(file))
  } finally {
    await rm(partial, { force: true })
  }
}

async function sync(file: string): Promise<void> {
  await using handle = await open(file, 'r+')
  await handle.sync()
}
