import type { DatabaseSync } from 'node:sqlite'
import type { FactClause, Facts, FillSlice, Keeping } from '../../facts.ts'
import { Statements } from '../database/statements.ts'
import type { Writer } from '../writer.ts'
import { factClauseOf } from './write-fact-clauses.ts'

/** Facts on the tables `facts` and `fact_clauses`. */
export class SqliteFacts implements Facts {
  readonly #writer: Writer
  readonly #statements: Statements

  constructor(writer: Writer, reader: DatabaseSync) {
    this.#writer = writer
    this.#statements = new Statements(reader)
  }

  async clauses(): Promise<readonly FactClause[]> {
    return this.#statements.all('SELECT * FROM fact_clauses ORDER BY number', []).map(factClauseOf)
  }

  put(clause: {
    readonly definition: string
    readonly keeping: Keeping
    readonly reachesBackTo: number | null
  }): Promise<FactClause> {
    return this.#writer.run('putFactClause', clause)
  }

  fill(slice: FillSlice): Promise<boolean> {
    return this.#writer.run('fillFacts', slice)
  }

  remove(clause: number): Promise<void> {
    return this.#writer.run('removeFactClause', clause)
  }

  prune({ now, cursor = 0 }: { now: number; cursor?: number }): Promise<number | null> {
    return this.#writer.run('pruneFacts', { now, after: cursor })
  }
}
