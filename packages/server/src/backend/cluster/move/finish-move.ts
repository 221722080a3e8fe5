import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { SecretBox } from '../../../util/secrets/secret-box.ts'
import type { StoppedData } from '../../stopped-data.ts'
import type { ChangeKind } from '../../store/store.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { MOVED_CHANGE } from './moved-tables.ts'

/** What nodes read again by the numbers of changes, and what was moved has one. */
const CHANGED: readonly ChangeKind[] = ['catalog', 'key-uses', 'tokens', 'token-uses']

/** Lets all numbers go on where the moved ones end, and records that everything is there. */
export function finishMove(
  postgres: Postgres,
  data: StoppedData,
  { box, report }: { readonly box: SecretBox; readonly report: string },
): Promise<void> {
  const { numbers, profilePurges, receiptKey } = data
  return postgres.write(async (transaction) => {
    await sql`UPDATE archive SET seq = ${numbers.event}`.execute(transaction)
    await sql`UPDATE profiles_state SET purges = ${profilePurges}, identities = ${numbers.identity}`.execute(
      transaction,
    )
    for (const kind of CHANGED)
      await sql`INSERT INTO changes VALUES (${kind}, ${MOVED_CHANGE}) ON CONFLICT (kind) DO NOTHING`.execute(
        transaction,
      )
    await goOn(transaction, identityOf('lanes', 'number'), numbers.lane)
    await goOn(transaction, identityOf('audit', 'seq'), numbers.audit)
    await goOn(transaction, identityOf('fact_clauses', 'number'), numbers.factClause)
    await goOn(transaction, identityOf('computations', 'number'), numbers.computation)
    if (receiptKey !== undefined)
      await sql`INSERT INTO own_keys VALUES ('receipts', ${box.seal(receiptKey, 'receipts')})`.execute(
        transaction,
      )
    await sql`UPDATE data_move SET finished_at = now(), report = ${report}`.execute(transaction)
    await sql`DELETE FROM moved_tables`.execute(transaction)
  })
}

function identityOf(table: string, column: string): RawBuilder<unknown> {
  return sql`pg_get_serial_sequence(${sql.lit(table)}, ${sql.lit(column)})`
}

/** The next number of a sequence is the one after `last`. */
async function goOn(
  transaction: Transaction<unknown>,
  sequence: RawBuilder<unknown>,
  last: number,
): Promise<void> {
  if (last > 0) await sql`SELECT setval(${sequence}, ${last}::bigint)`.execute(transaction)
}
