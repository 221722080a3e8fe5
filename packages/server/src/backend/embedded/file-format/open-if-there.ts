import { openSync } from 'node:fs'

/** Opens a file for reading; `undefined` where it does not exist. */
export function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
