import type { AlertStates } from '../alert-states.ts'
import { sql } from './sql.ts'
import type { Store, Tx } from './store.ts'

interface AlertStateRow {
  readonly key: string
  readonly document: string
}

export function storedAlertStates(store: Store): AlertStates {
  return {
    async all() {
      const rows = await store.list(
        sql<AlertStateRow>`SELECT key, document FROM alert_states ORDER BY key`,
      )
      return new Map(rows.map(({ key, document }) => [key, document]))
    },
    put: (states) => store.write(putAlertStates, [...states]),
  }
}

export async function putAlertStates(
  tx: Tx,
  states: readonly (readonly [key: string, document: string | null])[],
): Promise<void> {
  for (const [key, document] of states)
    await tx.run(
      document === null
        ? sql`DELETE FROM alert_states WHERE key = ${key}`
        : sql`INSERT INTO alert_states (key, document) VALUES (${key}, ${document})
            ON CONFLICT (key) DO UPDATE SET document = excluded.document`,
    )
}
