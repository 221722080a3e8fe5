import type { Sync, Syncs } from '../syncs.ts'
import { pageOf } from './rows.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

const KEPT = 20

interface Row {
  readonly id: string
  readonly document: string
}

export function storedSyncs(store: Store): Syncs {
  return {
    put: (sync) => store.write(putSync, sync),
    advance: (before, next) => store.write(advanceSync, { before, next }),

    async open() {
      const rows = await store.lookUp(
        sql<Row>`SELECT id, document FROM syncs WHERE is_open ORDER BY id`,
      )
      return rows.map(syncOf)
    },

    async list(computationId, { limit, cursor = '~' }) {
      const rows = await store.lookUp(sql<Row>`
        SELECT id, document FROM syncs WHERE computation = ${computationId} AND id < ${cursor}
        ORDER BY id DESC LIMIT ${limit + 1}`)
      return pageOf(rows, { limit, cursorOf: ({ id }) => id }, syncOf)
    },

    async last() {
      const rows = await store.lookUp(sql<Row>`
        SELECT id, document FROM syncs WHERE id IN (
          SELECT max(id) FROM syncs WHERE NOT is_open GROUP BY computation)`)
      return new Map(rows.map(syncOf).map((sync) => [sync.computationId, sync]))
    },
  }
}

function isOpen({ state }: Sync): boolean {
  return state !== 'done' && state !== 'failed'
}

function syncOf({ document }: Row): Sync {
  return JSON.parse(document) as Sync
}

export async function putSync(tx: Tx, sync: Sync): Promise<void> {
  await tx.run(sql`
    INSERT INTO syncs (id, computation, is_open, document)
    VALUES (${sync.id}, ${sync.computationId}, ${isOpen(sync)}, ${JSON.stringify(sync)})
    ON CONFLICT (id) DO UPDATE SET computation = excluded.computation,
      is_open = excluded.is_open, document = excluded.document`)
  await trim(tx, sync)
}

export async function advanceSync(
  tx: Tx,
  { before, next }: { readonly before: Sync; readonly next: Sync },
): Promise<boolean> {
  const advanced = await tx.run(sql`
    UPDATE syncs SET is_open = ${isOpen(next)}, document = ${JSON.stringify(next)}
    WHERE id = ${before.id} AND document = ${JSON.stringify(before)}`)
  if (advanced > 0) await trim(tx, next)
  return advanced > 0
}

/** Removes a computation's oldest ended syncs after one has ended. */
async function trim(tx: Tx, sync: Sync): Promise<void> {
  if (isOpen(sync)) return
  await tx.run(sql`
    DELETE FROM syncs WHERE computation = ${sync.computationId} AND NOT is_open AND id <= (
      SELECT id FROM syncs WHERE computation = ${sync.computationId} AND NOT is_open
      ORDER BY id DESC LIMIT 1 OFFSET ${KEPT})`)
}
