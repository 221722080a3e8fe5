import { closeSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import writeFileAtomic from 'write-file-atomic'

/** The text in `file` without surrounding white space; `undefined` where the file does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes `text` and a line end to `file`, readable by its owner only. At any moment the file is complete or unchanged. It
 * survives a power cut once this returns. Throws where the file cannot be written, and then leaves nothing behind.
 */
export function writeDurably(file: string, text: string): void {
  writeFileAtomic.sync(file, `${text}\n`, { mode: 0o600 })
  // The library syncs the file, but not the folder with its new name.
  syncFolderNow(dirname(file))
}

/** The names in the folder, as they are now, survive a power cut once this resolves. Windows cannot sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** As `syncFolder`, before this returns. */
export function syncFolderNow(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const DISK_FAULTS = new Set(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'])

/** Whether a call of the file system failed because the disk is full, failing or read-only: a later try may succeed. */
export function isDiskFault(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && DISK_FAULTS.has((error as NodeJS.ErrnoException).code ?? '')
}
