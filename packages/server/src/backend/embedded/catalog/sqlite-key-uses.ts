import type { DatabaseSync } from 'node:sqlite'
import type { KeyUses } from '../../catalog.ts'
import { timeOf } from '../database/rows.ts'
import type { Writer } from '../writer.ts'

/** Uses of write keys on the table `key_uses`, read once at the start: only this process writes it. */
export class SqliteKeyUses implements KeyUses {
  readonly #writer: Writer
  readonly #lastUsedAt: Map<string, number>

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    const rows = reader.prepare('SELECT key, last_used_at FROM key_uses').all()
    this.#lastUsedAt = new Map(
      rows.map(({ key, last_used_at: at }) => [String(key), timeOf(at)] as const),
    )
  }

  lastUsedAt(key: string): number | undefined {
    return this.#lastUsedAt.get(key)
  }

  mark(key: string, at: number): Promise<void> {
    this.#lastUsedAt.set(key, at)
    return this.#writer.run('markKeyUsed', { key, at })
  }
}
