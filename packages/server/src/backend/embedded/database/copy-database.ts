import { chmodSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../../../util/durable-file.ts'

/** Pages copied at a time; between two steps other work has its turn. */
const PAGES = 1_000

/**
 * Copies the database in `source`, as it is at this moment, to `file`, readable by its owner only. Writes go on
 * meanwhile: in WAL mode readers and writers do not wait for each other. The file appears complete, or not at all. It
 * survives a power cut once this resolves.
 */
export async function copyDatabase(source: string, file: string): Promise<void> {
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  try {
    await (await open(partial, 'wx', 0o600)).close()
    using reader = new DatabaseSync(source, { readOnly: true })
    // One read transaction for the whole copy: without it, each commit of the writer makes the copy start again.
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
