import { sql, type Transaction } from 'kysely'
import type { Subject, Suppression } from '../../deletions.ts'
import { lock } from '../postgres/locks.ts'
import { toText } from '../postgres/text.ts'
import { ENDED_KEPT_HOURS, EVERY_SOURCE } from './suppressed-users.ts'

/** How many old ends one removal forgets. */
const FORGOTTEN = 1_000

/** Adds suppressions; one of the same user and source stays as it is. */
export async function addSuppressions(
  transaction: Transaction<unknown>,
  suppressions: readonly Suppression[],
): Promise<void> {
  const rows = [
    ...new Map(suppressions.map((each) => [JSON.stringify(placeOf(each)), each])).values(),
  ]
  const texts = (of: (suppression: Suppression) => string): string[] => rows.map(of)
  await lock(transaction, 'suppressions')
  await sql`
    INSERT INTO suppressions (seq, kind, user_id, source_id, since, deletion_id)
    SELECT nextval('suppression_changes'), kind, id, source_id, since, deletion_id
    FROM unnest(${texts(({ kind }) => kind)}::text[], ${texts(({ id }) => toText(id))}::text[],
      ${texts(({ sourceId }) => toText(sourceId ?? EVERY_SOURCE))}::text[],
      ${rows.map(({ since }) => since)}::bigint[], ${texts(({ deletionId }) => deletionId)}::text[])
      WITH ORDINALITY AS added (kind, id, source_id, since, deletion_id, place)
    WHERE NOT EXISTS (SELECT FROM suppressions WHERE suppressions.user_id = added.id
      AND suppressions.kind = added.kind AND suppressions.source_id = added.source_id)
    ORDER BY place`.execute(transaction)
}

/** Removes every suppression of a user; returns whether there was one. */
export async function endSuppressions(
  transaction: Transaction<unknown>,
  { kind, id }: Subject,
): Promise<boolean> {
  await lock(transaction, 'suppressions')
  const { numAffectedRows = 0n } =
    await sql`DELETE FROM suppressions WHERE user_id = ${toText(id)} AND kind = ${kind}`.execute(
      transaction,
    )
  if (numAffectedRows === 0n) return false
  await sql`INSERT INTO ended_suppressions (seq, kind, user_id)
    VALUES (nextval('suppression_changes'), ${kind}, ${toText(id)})`.execute(transaction)
  await sql`DELETE FROM ended_suppressions WHERE seq IN (SELECT seq FROM ended_suppressions
    WHERE ended_at < now() - make_interval(hours => ${ENDED_KEPT_HOURS}) ORDER BY seq LIMIT ${FORGOTTEN})`.execute(
    transaction,
  )
  return true
}

function placeOf({ kind, id, sourceId }: Suppression): readonly unknown[] {
  return [kind, id, sourceId]
}
