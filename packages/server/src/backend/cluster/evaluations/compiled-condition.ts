import { type RawBuilder, sql } from 'kysely'
import type { PlannedCondition } from '../../evaluations.ts'
import { type CompiledClause, compileClause, type CompileOptions } from './compiled-clause.ts'
import { clausesIn, type Outcome, outcomeOf, type PlannedClause } from './condition-outcome.ts'
import { traitValuesIn } from './trait-values.ts'

/** A profile with the columns of a condition: `c0`, `c1` and so on, one for each clause that needs one. */
export interface ReadProfile {
  readonly id: number
  /** As they are stored, where a clause looks at one. */
  readonly traits: string | null
  readonly [column: string]: unknown
}

/**
 * A condition, made ready for many profiles. PostgreSQL looks up and counts what the clauses ask for, because facts can be
 * many; JavaScript compares, with the operators of the protocol. Its own JSON functions would have to agree with those on missing
 * values, large numbers and dates, and one U+0000 or lone surrogate in a trait would fail the statement for all profiles.
 *
 * The evaluation in real time has other code for all but the operators: so it and a full sync check each other.
 */
export class CompiledCondition {
  /** Columns of a SELECT from `profiles AS p LEFT JOIN profile_traits AS t`. */
  readonly columns: RawBuilder<unknown>
  readonly #condition: PlannedCondition
  readonly #compiled: ReadonlyMap<PlannedClause, CompiledClause & { readonly name: string }>

  constructor(condition: PlannedCondition, options: CompileOptions) {
    this.#condition = condition
    const clauses = [...new Set(clausesIn(condition))]
    this.#compiled = new Map(
      clauses.map((clause, index) => [
        clause,
        { ...compileClause(clause, options), name: `c${index}` },
      ]),
    )
    const hasTraits = clauses.some((clause) => 'trait' in clause)
    this.columns = sql.join([
      hasTraits ? sql`t.traits AS traits` : sql`NULL AS traits`,
      ...[...this.#compiled.values()].flatMap(({ column, name }) =>
        column === undefined ? [] : sql`${column} AS ${sql.id(name)}`,
      ),
    ])
  }

  /** What the condition says of a profile. */
  outcomeOf(profile: ReadProfile): Outcome {
    const compared = { id: profile.id, traits: traitValuesIn(profile.traits) }
    return outcomeOf(this.#condition, (clause) => {
      const { outcomeOf: clauseOutcome, name } = this.#compiled.get(clause)!
      return clauseOutcome(profile[name], compared)
    })
  }
}
