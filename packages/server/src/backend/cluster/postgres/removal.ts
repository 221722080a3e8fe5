import { sql, type Transaction } from 'kysely'

/**
 * Says that this transaction removes events, decisions and deliveries on purpose, as retention and purges do. What any other one
 * deletes counts as missing (migrations/schema.sql).
 */
export async function removeOnPurpose(transaction: Transaction<unknown>): Promise<void> {
  await sql`SELECT set_config('hookline.removal', 'on', true)`.execute(transaction)
}
