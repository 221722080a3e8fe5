import { sql } from '../sql.ts'
import type { Tx } from '../store.ts'

/**
 * Waits for other transactions that create, link or remove identities, and sees their changes.
 * Every such transaction must take this lock first.
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
