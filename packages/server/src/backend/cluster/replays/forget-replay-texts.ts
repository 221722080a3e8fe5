import { sql, type Transaction } from 'kysely'

/** Removes the search texts of ended replays: they may contain data of any user. */
export async function forgetReplayTexts(transaction: Transaction<unknown>): Promise<void> {
  await sql`UPDATE replays SET search_text = NULL
    WHERE finished_at IS NOT NULL AND search_text IS NOT NULL`.execute(transaction)
}
