import { sql } from 'kysely'
import type { Postgres } from '../postgres/postgres.ts'

/** Longer than any node has an event in memory, and than `PurgedUsers` keeps a purge. */
const KEEP_HOURS = 24
/** Rows that one call removes. */
const SOME = 5_000

/**
 * Forgets whom old purges cover. They are there for events that arrive from the log late; where everything is acked up to the
 * position of a purge, there are none any more.
 */
export async function forgetPurges(
  postgres: Postgres,
  { ackedBefore }: { readonly ackedBefore: number },
): Promise<void> {
  await postgres.run(sql`
    DELETE FROM purged_ids WHERE number IN (SELECT number FROM purged_ids
      WHERE added_at < now() - make_interval(hours => ${KEEP_HOURS})
        AND through < ${Math.min(ackedBefore, Number.MAX_SAFE_INTEGER)} ORDER BY added_at LIMIT ${SOME})`)
}
