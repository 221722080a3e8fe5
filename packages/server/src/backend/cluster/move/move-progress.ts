import { sql, type Transaction } from 'kysely'
import { lock } from '../postgres/locks.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { MoveUnfinished } from './move-faults.ts'

/** A move of data into this cluster. */
export interface StoredMove {
  readonly identity: string
  readonly finishedAt: Date | null
  /** JSON. */
  readonly report: string | null
}

/** How far the rows of a table were moved. */
export interface MovedSoFar {
  readonly place: string | null
  readonly isDone: boolean
}

export async function moveOf(transaction: Transaction<unknown>): Promise<StoredMove | undefined> {
  const { rows } = await sql<StoredMove>`
    SELECT identity, finished_at AS "finishedAt", report FROM data_move`.execute(transaction)
  return rows[0]
}

export async function movedSoFar(postgres: Postgres, name: string): Promise<MovedSoFar> {
  const [row] = await postgres.run(sql<MovedSoFar>`
    SELECT place, is_done AS "isDone" FROM moved_tables WHERE name = ${name}`)
  return row ?? { place: null, isDone: false }
}

/** Records how far a table is, in the transaction that moves its rows. */
export async function recordPlace(
  transaction: Transaction<unknown>,
  name: string,
  next: string | null,
): Promise<void> {
  await sql`INSERT INTO moved_tables VALUES (${name}, ${next}, ${next === null})
    ON CONFLICT (name) DO UPDATE SET place = excluded.place, is_done = excluded.is_done`.execute(
    transaction,
  )
}

/** @throws {MoveUnfinished} while data is being moved into this cluster */
export function refuseUnfinishedMove(postgres: Postgres): Promise<void> {
  return postgres.write(async (transaction) => {
    await lock(transaction, 'migrate')
    const move = await moveOf(transaction)
    if (move === undefined || move.finishedAt !== null) return
    throw new MoveUnfinished(
      'Data of another service is being moved into this cluster, and not all of it is there. Run `hookline migrate-data` again ' +
        'until it says that all is moved. To give it up, drop the schema `hookline` of the database.',
    )
  })
}
