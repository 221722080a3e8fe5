import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'

/** The trimmed text of a file; `undefined` if it does not exist. */
export function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes `text` and a newline atomically and durably, readable only by its owner. Throws if the file cannot be written. */
export function writeDurably(file: string, text: string): void {
  writeFileAtomic.sync(file, `${text}\n`, { mode: 0o600 })
  // The library does not sync the folder.
  syncFolderNow(dirname(file))
}

/** Makes the names in a folder durable. Windows cannot sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const DISK_ERRORS = new Set(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'])

/** Whether the disk is full, failing or read-only. A retry may succeed. */
export function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && DISK_ERRORS.has((error as NodeJS.ErrnoException).code ?? '')
}
