import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'

/**
 * Waits until no other transaction makes, links or removes identities: from then on this one sees what they have done. Whoever
 * writes them takes this lock before all others.
 */
export async function lockProfiles(
  tx: Tx,
): Promise<{ readonly purges: number; readonly maxLinks: number }> {
  const [state] = await tx.all(
    sql<{ readonly purges: number; readonly max_links: number }>`
      SELECT purges, max_links FROM profiles_state ${tx.dialect.forUpdate}`,
  )
  return { purges: state!.purges, maxLinks: state!.max_links }
}
