import { sql } from 'kysely'
import type { Page, PageRequest } from '../../page.ts'
import type { Sync, Syncs } from '../../syncs.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'
import { pageOf } from '../postgres/rows.ts'

/** Ended syncs that are kept for each computation. */
const KEPT = 20

interface Row {
  readonly id: string
  readonly document: string
}

/** Syncs on the table `syncs`. */
export class PostgresSyncs implements Syncs {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  put(sync: Sync): Promise<void> {
    return this.#postgres.write(async (transaction) => {
      await sql`
        INSERT INTO syncs (id, computation, is_open, document)
        VALUES (${sync.id}, ${sync.computationId}, ${isOpen(sync)}, ${JSON.stringify(sync)})
        ON CONFLICT (id) DO UPDATE SET computation = excluded.computation,
          is_open = excluded.is_open, document = excluded.document`.execute(transaction)
      await trim(transaction, sync)
    })
  }

  advance(before: Sync, next: Sync): Promise<boolean> {
    return this.#postgres.write(async (transaction) => {
      const { numAffectedRows } = await sql`
        UPDATE syncs SET is_open = ${isOpen(next)}, document = ${JSON.stringify(next)}
        WHERE id = ${before.id} AND document = ${JSON.stringify(before)}`.execute(transaction)
      if (numAffectedRows === 0n) return false
      await trim(transaction, next)
      return true
    })
  }

  async open(): Promise<readonly Sync[]> {
    const rows = await this.#postgres.run(
      sql<Row>`SELECT id, document FROM syncs WHERE is_open ORDER BY id`,
    )
    return rows.map(syncOf)
  }

  async list(computationId: string, { limit, cursor = '~' }: PageRequest): Promise<Page<Sync>> {
    const rows = await this.#postgres.run(sql<Row>`
      SELECT id, document FROM syncs WHERE computation = ${computationId} AND id < ${cursor}
      ORDER BY id DESC LIMIT ${limit + 1}`)
    return pageOf(rows, { limit, cursorOf: ({ id }) => id }, syncOf)
  }

  async last(): Promise<ReadonlyMap<string, Sync>> {
    const rows = await this.#postgres.run(sql<Row>`
      SELECT DISTINCT ON (computation) id, document FROM syncs WHERE NOT is_open
      ORDER BY computation, id DESC`)
    return new Map(rows.map(syncOf).map((sync) => [sync.computationId, sync]))
  }
}

function isOpen({ state }: Sync): boolean {
  return state !== 'done' && state !== 'failed'
}

/** Removes old syncs of the computation of one that has ended. */
async function trim(transaction: Connection, sync: Sync): Promise<void> {
  if (isOpen(sync)) return
  await sql`
    DELETE FROM syncs WHERE computation = ${sync.computationId} AND NOT is_open AND id <= (
      SELECT id FROM syncs WHERE computation = ${sync.computationId} AND NOT is_open
      ORDER BY id DESC LIMIT 1 OFFSET ${KEPT})`.execute(transaction)
}

function syncOf({ document }: Row): Sync {
  return JSON.parse(document) as Sync
}
