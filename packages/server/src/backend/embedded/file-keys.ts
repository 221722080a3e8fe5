import { join } from 'node:path'
import { readIfThere, writeDurably } from '../../util/durable-file.ts'
import type { OwnKeyName, OwnKeys } from '../own-keys.ts'

/** The files of the keys, in the data folder. */
export const KEY_FILES: Readonly<Record<OwnKeyName, string>> = { receipts: 'receipt-key' }

/** Keys in files beside the database, each readable by its owner only. */
export class FileKeys implements OwnKeys {
  readonly #dataDir: string

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  async keyOf(name: OwnKeyName, make: () => string): Promise<string> {
    const file = join(this.#dataDir, KEY_FILES[name])
    const kept = readIfThere(file)
    if (kept !== undefined) return kept
    const made = make()
    writeDurably(file, made)
    return made
  }
}
