import { sql } from 'kysely'
import type { FactClause, Facts, FillSlice } from '../../facts.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fillFacts } from './fill-facts.ts'
import { pruneFacts } from './prune-facts.ts'
import { type NewClause, putClause, readClauses } from './write-fact-clauses.ts'

/** Facts on the tables `facts` and `fact_clauses`. */
export class PostgresFacts implements Facts {
  readonly #postgres: Postgres

  constructor(postgres: Postgres) {
    this.#postgres = postgres
  }

  clauses(): Promise<readonly FactClause[]> {
    return this.#postgres.read(readClauses)
  }

  put(clause: NewClause): Promise<FactClause> {
    return this.#postgres.write((transaction) => putClause(transaction, clause))
  }

  fill(slice: FillSlice): Promise<boolean> {
    return this.#postgres.write((transaction) => fillFacts(transaction, slice))
  }

  async remove(clause: number): Promise<void> {
    await this.#postgres.run(sql`DELETE FROM fact_clauses WHERE number = ${clause}`)
  }

  prune({ now, cursor = 0 }: { now: number; cursor?: number }): Promise<number | null> {
    return this.#postgres.write((transaction) => pruneFacts(transaction, { now, after: cursor }))
  }
}
