import { sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import { toText } from '../postgres/text.ts'
import type { PurgedId } from './purged-users.ts'

/**
 * Makes the archive refuse what a purge covers, on every node: what was archived before is there when this is committed,
 * and the archive looks into the table before it writes what comes later.
 */
export async function refusePurged(
  transaction: Transaction<unknown>,
  deletionId: string,
  ids: readonly PurgedId[],
): Promise<void> {
  await lock(transaction, 'archive')
  await sql`
    INSERT INTO purged_ids (kind, id, source_id, through, deletion_id)
    SELECT kind, id, source_id, through, ${deletionId}
    FROM unnest(${ids.map(({ kind }) => kind)}::text[], ${ids.map(({ id }) => toText(id))}::text[],
      ${ids.map(({ sourceId }) => toText(sourceId))}::text[], ${ids.map(({ through }) => through)}::bigint[])
      AS purged (kind, id, source_id, through)
    WHERE NOT EXISTS (SELECT FROM purged_ids AS known WHERE known.id = purged.id AND known.kind = purged.kind
      AND known.source_id = purged.source_id AND known.through >= purged.through)`.execute(
    transaction,
  )
  await forgetContents(transaction, ids)
}

/** Removes contents in quarantine that name one of the ids. Their rows stay, with the reason. */
async function forgetContents(
  transaction: Transaction<unknown>,
  ids: readonly PurgedId[],
): Promise<void> {
  const named = ids.map(({ id }) => Buffer.from(JSON.stringify(id)))
  await sql`UPDATE quarantine SET content = NULL WHERE content IS NOT NULL AND EXISTS (
    SELECT FROM unnest(${named}::bytea[]) AS named (id) WHERE position(named.id IN content) > 0)`.execute(
    transaction,
  )
}
