import type { Comparison } from '@hookline/protocol'
import type { SQLInputValue } from 'node:sqlite'
import type { PlannedCondition, PlannedCount } from '../../evaluations.ts'

/** The tables that compiled conditions read. SQLite leaves out the traits where no clause names them. */
export const PROFILES_WITH_TRAITS =
  'profiles AS p LEFT JOIN profile_traits AS t ON t.profile = p.id'

/** A condition on a row of PROFILES_WITH_TRAITS in SQL. */
export interface CompiledCondition {
  /** A column for each clause: its verdict as 0 or 1, and when that can next change by time alone. */
  readonly columns: string
  /** The values of the columns, in order. */
  readonly values: readonly SQLInputValue[]
  /** The verdict of the condition, and its next change, as expressions of the columns. */
  readonly verdict: string
  readonly next: string
}

interface Clause {
  readonly verdict: string
  readonly next: string
  readonly values: readonly SQLInputValue[]
}

interface CompileOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The table of facts of a clause. */
  readonly factsTable?: (clause: number) => string
}

/**
 * Compiles a condition to SQL. The clauses are columns of an inner SELECT, so that each is computed once for each profile,
 * however often the outer one names it. The functions `satisfies` and `next_change` are those of the operators in JavaScript: so
 * a full sync and the evaluation in real time agree on what an operator means, and check each other in all else.
 */
export function compileCondition(
  condition: PlannedCondition,
  options: CompileOptions,
): CompiledCondition {
  const clauses: Clause[] = []
  const { verdict, next } = compile(
    condition,
    (clause) => {
      clauses.push(clause)
      const number = clauses.length
      return { verdict: `v${number}`, next: `n${number}` }
    },
    options,
  )
  return {
    columns: clauses
      .map((each, index) => `${each.verdict} AS v${index + 1}, ${each.next} AS n${index + 1}`)
      .join(', '),
    values: clauses.flatMap(({ values }) => values),
    verdict,
    next,
  }
}

type Column = Pick<Clause, 'verdict' | 'next'>

function compile(
  condition: PlannedCondition,
  addColumn: (clause: Clause) => Column,
  options: CompileOptions,
): Column {
  const each = (inner: PlannedCondition): Column => compile(inner, addColumn, options)
  if ('and' in condition) return joined(condition.and.map(each), 'AND')
  if ('or' in condition) return joined(condition.or.map(each), 'OR')
  if ('not' in condition) {
    const { verdict, next } = each(condition.not)
    return { verdict: `NOT ${verdict}`, next }
  }
  return addColumn(compileClause(condition, options))
}

/**
 * A clause that never changes by time decides alone: the whole then never does either, whatever the others do. Otherwise
 * the whole may change with the first of them.
 */
function joined(parts: readonly Column[], operator: 'AND' | 'OR'): Column {
  if (parts.length === 0) return { verdict: operator === 'AND' ? '1' : '0', next: 'NULL' }
  const decides = ({ verdict, next }: Column): string =>
    `(${operator === 'AND' ? 'NOT ' : ''}${verdict} AND ${next} IS NULL)`
  const firsts = parts.map(({ next }) => `ifnull(${next}, ${NEVER})`).join(', ')
  return {
    verdict: `(${parts.map(({ verdict }) => verdict).join(` ${operator} `)})`,
    next: `(CASE WHEN ${parts.map(decides).join(' OR ')} THEN NULL ELSE nullif(min(${firsts}, ${NEVER}), ${NEVER}) END)`,
  }
}

/** Later than every time. */
const NEVER = '9007199254740991'
const NUMBER_OF = '(SELECT number FROM computations WHERE id = ?)'

function compileClause(
  clause: Exclude<PlannedCondition, { and: unknown } | { or: unknown } | { not: unknown }>,
  options: CompileOptions,
): Clause {
  if ('trait' in clause) return compileValue(traitAt(clause.trait), clause.is, options)
  if ('computation' in clause) {
    const sql = `(SELECT value FROM results WHERE profile = p.id AND computation = ${NUMBER_OF})`
    return compileValue({ sql, values: [clause.computation] }, clause.is, options)
  }
  if ('memberOf' in clause) {
    const sql = `EXISTS (SELECT 1 FROM results WHERE profile = p.id AND computation = ${NUMBER_OF})`
    return { verdict: sql, next: 'NULL', values: [clause.memberOf] }
  }
  if ('listOf' in clause) {
    const sql = `EXISTS (SELECT 1 FROM profile_ids JOIN listed_users ON user_id = id
      WHERE profile = p.id AND kind = 'user' AND is_seen AND computation = ${NUMBER_OF})`
    return { verdict: sql, next: 'NULL', values: [clause.listOf] }
  }
  return compileCount(clause, options)
}

interface Expression {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** The JSON of a trait. */
function traitAt([name = '', ...path]: readonly string[]): Expression {
  const keys = path.map((key) => `.${JSON.stringify(key)}`).join('')
  // Damaged traits are none, as for the evaluation in real time. SQLite remembers the text that it has parsed last.
  const sql = 'CASE WHEN json_valid(t.traits) THEN t.traits -> ? END'
  return { sql, values: [`$.${JSON.stringify(name)}[0]${keys}`] }
}

function compileValue(
  { sql, values }: Expression,
  comparison: Comparison,
  { now }: CompileOptions,
): Clause {
  const given = [JSON.stringify(comparison), ...values, now]
  const changes = comparison.op === 'within_last_days'
  return {
    verdict: `satisfies(?, ${sql}, ?)`,
    next: changes ? `next_change(?, ${sql}, ?)` : 'NULL',
    values: changes ? [...given, ...given] : given,
  }
}

const SQL_OPERATORS = { '==': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const

function compileCount(
  { clause, withinMs, between, count }: PlannedCount,
  { now, factsTable = () => 'facts' }: CompileOptions,
): Clause {
  const [from, to] = between ?? [withinMs === undefined ? -Infinity : now - withinMs + 1, Infinity]
  const facts = `FROM ${factsTable(clause)} WHERE profile = p.id AND clause = ${clause}`
  const verdict = `((SELECT COUNT(*) ${facts} AND at >= ? AND at < ?) ${SQL_OPERATORS[count.op]} ${count.n})`
  const bounds = [bounded(from), bounded(to)]
  if (withinMs === undefined) return { verdict, next: 'NULL', values: bounds }
  // The verdict changes when the fact leaves the window that makes the count pass n.
  const leaving = leavingOf(count.op, count.n).map(
    (offset) =>
      `ifnull((SELECT at + ${withinMs} ${facts} AND at >= ? ORDER BY at DESC LIMIT 1 OFFSET ${offset}), ${NEVER})`,
  )
  return {
    verdict,
    // Twice: with one argument, \`min\` would be the aggregate.
    next: `nullif(min(${[...leaving, NEVER, NEVER].join(', ')}), ${NEVER})`,
    values: [...bounds, ...leaving.map(() => bounded(from))],
  }
}

/** Which facts, counted from the newest, change the verdict when they leave the window. */
function leavingOf(op: PlannedCount['count']['op'], n: number): readonly number[] {
  const offsets = op === '>=' || op === '<' ? [n - 1] : op === '>' || op === '<=' ? [n] : [n - 1, n]
  return offsets.filter((offset) => offset >= 0)
}

function bounded(ms: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, ms))
}
