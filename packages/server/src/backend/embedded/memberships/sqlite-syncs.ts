import type { DatabaseSync } from 'node:sqlite'
import type { Page, PageRequest } from '../../page.ts'
import type { Sync, Syncs } from '../../syncs.ts'
import { pageOf, type Row } from '../database/rows.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'

/** Syncs on the table `syncs`. */
export class SqliteSyncs implements Syncs {
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  put(sync: Sync): Promise<void> {
    return this.#writer.run('putSync', sync)
  }

  advance(before: Sync, next: Sync): Promise<boolean> {
    return this.#writer.run('advanceSync', { before, next })
  }

  async open(): Promise<readonly Sync[]> {
    const sql = 'SELECT document FROM syncs WHERE is_open ORDER BY id'
    return this.#statements.all(sql, []).map(syncOf)
  }

  async list(computationId: string, { limit, cursor = '~' }: PageRequest): Promise<Page<Sync>> {
    const rows = this.#statements.all(
      'SELECT id, document FROM syncs WHERE computation = ? AND id < ? ORDER BY id DESC LIMIT ? + 0',
      [computationId, cursor, limit + 1],
    )
    return pageOf(rows, { limit, key: 'id' }, syncOf)
  }

  async last(): Promise<ReadonlyMap<string, Sync>> {
    const rows = this.#statements.all(
      `SELECT document FROM syncs JOIN (
         SELECT MAX(id) AS last FROM syncs WHERE NOT is_open GROUP BY computation) ON id = last`,
      [],
    )
    return new Map(rows.map(syncOf).map((sync) => [sync.computationId, sync]))
  }
}

function syncOf({ document }: Row): Sync {
  return JSON.parse(String(document)) as Sync
}
