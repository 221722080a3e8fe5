import { sql } from 'kysely'
import type { FactClause, Keeping } from '../../facts.ts'
import type { Connection } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'
import { lockProfiles, positionOf } from '../profiles/profiles-state.ts'

/** A row of `fact_clauses`. */
interface ClauseRow {
  readonly number: number
  readonly definition: string
  readonly keep_ms: number | null
  readonly keep_most: number
  readonly fill_through: number
  readonly filled_through: number
  readonly reaches_back_to: number | null
}

/** What is put of a clause. */
export interface NewClause {
  readonly definition: string
  readonly keeping: Keeping
  readonly reachesBackTo: number | null
}

export async function readClauses(connection: Connection): Promise<readonly FactClause[]> {
  const { rows } = await sql<ClauseRow>`SELECT * FROM fact_clauses ORDER BY number`.execute(
    connection,
  )
  return rows.map(clauseOf)
}

/** Adds a clause, or widens what is kept of the one with its definition. A wider one is filled again. */
export async function putClause(transaction: Connection, clause: NewClause): Promise<FactClause> {
  // Slices and other nodes wait: the clause begins where the profiles are now.
  await lockProfiles(transaction)
  const definition = toText(clause.definition)
  const { rows } = await sql<ClauseRow>`
    SELECT * FROM fact_clauses WHERE definition = ${definition}`.execute(transaction)
  const kept = rows[0] && clauseOf(rows[0])
  if (kept === undefined) return insertClause(transaction, clause)
  const keeping = wider(clause.keeping, kept.keeping)
  if (isEqual(keeping, kept.keeping)) return kept
  return widenClause(transaction, kept.number, { ...clause, keeping })
}

async function insertClause(
  transaction: Connection,
  { definition, keeping: { forMs, most }, reachesBackTo }: NewClause,
): Promise<FactClause> {
  const { rows } = await sql<ClauseRow>`
    INSERT INTO fact_clauses (definition, keep_ms, keep_most, fill_through, filled_through, reaches_back_to)
    VALUES (${toText(definition)}, ${forMs}, ${most}, ${await positionOf(transaction)}, 0, ${reachesBackTo})
    RETURNING *`.execute(transaction)
  return clauseOf(rows[0]!)
}

async function widenClause(
  transaction: Connection,
  number: number,
  { keeping: { forMs, most }, reachesBackTo }: NewClause,
): Promise<FactClause> {
  const { rows } = await sql<ClauseRow>`
    UPDATE fact_clauses SET keep_ms = ${forMs}, keep_most = ${most}, filled_through = 0,
      fill_through = ${await positionOf(transaction)}, reaches_back_to = ${reachesBackTo}
    WHERE number = ${number} RETURNING *`.execute(transaction)
  return clauseOf(rows[0]!)
}

function clauseOf(row: ClauseRow): FactClause {
  return {
    number: row.number,
    definition: fromText(row.definition),
    keeping: { forMs: row.keep_ms, most: row.keep_most },
    fillThrough: row.fill_through,
    filledThrough: row.filled_through,
    reachesBackTo: row.reaches_back_to,
  }
}

function wider(a: Keeping, b: Keeping): Keeping {
  const forMs = a.forMs === null || b.forMs === null ? null : Math.max(a.forMs, b.forMs)
  return { forMs, most: Math.max(a.most, b.most) }
}

function isEqual(a: Keeping, b: Keeping): boolean {
  return a.forMs === b.forMs && a.most === b.most
}
