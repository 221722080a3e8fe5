import { type Comparison, holds, type Json, nextChangeOf, valueAt } from '@hookline/protocol'
import { type RawBuilder, sql } from 'kysely'
import type { PlannedCount } from '../../evaluations.ts'
import { numberOf } from './computation-numbers.ts'
import type { Outcome, PlannedClause } from './condition-outcome.ts'
import { countedAmong, countedColumn, countedIn, countOutcome } from './count-facts.ts'
import { jsonIn } from './trait-values.ts'

export interface CompileOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Facts that are in no table: the times of those of a clause that has a negative number, by profile. */
  readonly timesOf?: (clause: number, profile: number) => readonly number[]
}

/** A clause, made ready for many profiles. */
export interface CompiledClause {
  /** What PostgreSQL reads of the profile `p.id`; absent where the clause needs nothing. */
  readonly column?: RawBuilder<unknown>
  /** What the clause says, where `read` is the value of the column. */
  readonly outcomeOf: (read: unknown, profile: ComparedProfile) => Outcome
}

interface ComparedProfile {
  readonly id: number
  readonly traits: Readonly<Record<string, Json>>
}

export function compileClause(clause: PlannedClause, options: CompileOptions): CompiledClause {
  const compare = (is: Comparison, actual: Json | undefined): Outcome => ({
    holds: holds(is, actual, options.now),
    next: nextChangeOf(is, actual, options.now) ?? Infinity,
  })
  if ('trait' in clause)
    return { outcomeOf: (_, { traits }) => compare(clause.is, valueAt(traits, clause.trait)) }
  if ('computation' in clause) {
    const number = numberOf(clause.computation)
    return {
      column: sql`(SELECT value FROM results WHERE profile = p.id AND computation = ${number})`,
      outcomeOf: (read) => compare(clause.is, jsonIn(read as string | null)),
    }
  }
  if ('clause' in clause) return compileCount(clause, options)
  return {
    column: 'memberOf' in clause ? hasResult(clause.memberOf) : isListed(clause.listOf),
    outcomeOf: (read) => ({ holds: read === true, next: Infinity }),
  }
}

/** Whether the profile `p.id` has a result of a computation. */
export function hasResult(computationId: string): RawBuilder<unknown> {
  const number = numberOf(computationId)
  return existsByIndex(sql`FROM results WHERE profile = p.id AND computation = ${number}`)
}

/**
 * Whether there are such rows, looked up for each profile. Without OFFSET, PostgreSQL may read the rows of all profiles into
 * memory instead.
 */
export function existsByIndex(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`EXISTS (SELECT ${rows} OFFSET 0)`
}

function isListed(audienceId: string): RawBuilder<unknown> {
  return existsByIndex(sql`
    FROM profile_ids AS i JOIN listed_users ON user_id = i.id
    WHERE i.profile = p.id AND kind = 'user' AND is_seen AND computation = ${numberOf(audienceId)}`)
}

function compileCount(planned: PlannedCount, { now, timesOf }: CompileOptions): CompiledClause {
  if (planned.clause < 0 && timesOf !== undefined)
    return {
      outcomeOf: (_, { id }) =>
        countOutcome(planned, countedAmong(timesOf(planned.clause, id), planned, now)),
    }
  return {
    column: countedColumn(planned, now),
    outcomeOf: (read) => countOutcome(planned, countedIn(read, planned)),
  }
}
