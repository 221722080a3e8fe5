import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** The text in `file`, without spaces around it, or `undefined` where there is no such file. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes `text` to `file`, for its owner alone: whole or not at all, and on disk when it returns. */
export function writeDurably(file: string, text: string): void {
  const partial = `${file}.partial`
  const handle = openSync(partial, 'w', 0o600)
  try {
    writeSync(handle, `${text}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(partial, file)
  syncFolder(dirname(file))
}

/** A new name in a folder is on disk when the folder is. Windows knows no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
