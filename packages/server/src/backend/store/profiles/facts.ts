import type { ArchivedFact, FactClause, Facts, FillSlice, Keeping } from '../../facts.ts'
import type { Fact } from '../../profiles.ts'
import { sql, type Statement } from '../sql.ts'
import type { Store, Tx } from '../store.ts'
import { numbersOf, profilesPosition, touchProfiles } from './identities.ts'
import { lockProfiles } from './lock-profiles.ts'

/** A fact of an identity, and the clause that counts it. */
export interface IdentityFact extends Fact {
  readonly identity: number
  readonly clause: number
}

/** One in so many facts of an identity makes those go that are more than the clause keeps. */
const TRIM_EVERY = 32
/** Facts that one slice of pruning looks at: more only of one identity. */
const PRUNE_FACTS = 5_000

/** Facts in the tables `facts` and `fact_clauses`. */
export function storedFacts(store: Store): Facts {
  return {
    async clauses() {
      const rows = await store.lookUp(sql<ClauseRow>`SELECT * FROM fact_clauses ORDER BY number`)
      return rows.map(clauseOf)
    },
    put: (clause) => store.write(putFactClause, clause),
    fill: (slice) => store.write(fillFacts, slice),
    remove: (clause) => store.write(removeFactClause, clause),
    prune: ({ now, cursor = 0 }) => store.write(pruneFacts, { now, after: cursor }),
  }
}

interface ClauseRow {
  readonly number: number
  readonly definition: string
  readonly keep_ms: number | null
  readonly keep_most: number
  readonly fill_through: number
  readonly filled_through: number
  readonly reaches_back_to: number | null
}

interface NewClause {
  readonly definition: string
  readonly keeping: Keeping
  readonly reachesBackTo: number | null
}

function clauseOf(row: ClauseRow): FactClause {
  return {
    number: row.number,
    definition: row.definition,
    keeping: { forMs: row.keep_ms, most: row.keep_most },
    fillThrough: row.fill_through,
    filledThrough: row.filled_through,
    reachesBackTo: row.reaches_back_to,
  }
}

/** Adds a clause, or widens what is kept of the one with its definition. A wider one is filled again. */
export async function putFactClause(
  tx: Tx,
  { definition, keeping, reachesBackTo }: NewClause,
): Promise<FactClause> {
  // Slices and other nodes wait: the clause begins where the profiles are now.
  await lockProfiles(tx)
  const [row] = await tx.all(sql<ClauseRow>`
    SELECT * FROM fact_clauses WHERE definition = ${definition}`)
  const kept = row && clauseOf(row)
  const wanted = kept === undefined ? keeping : wider(keeping, kept.keeping)
  if (kept !== undefined && isEqual(wanted, kept.keeping)) return kept
  const position = await profilesPosition(tx)
  const { forMs, most } = wanted
  const [put] = await tx.all(
    kept === undefined
      ? sql<ClauseRow>`
          INSERT INTO fact_clauses
            (definition, keep_ms, keep_most, fill_through, filled_through, reaches_back_to)
          VALUES (${definition}, ${forMs}, ${most}, ${position}, 0, ${reachesBackTo}) RETURNING *`
      : sql<ClauseRow>`
          UPDATE fact_clauses SET keep_ms = ${forMs}, keep_most = ${most}, fill_through = ${position},
            filled_through = 0, reaches_back_to = ${reachesBackTo}
          WHERE number = ${kept.number} RETURNING *`,
  )
  return clauseOf(put!)
}

function wider(a: Keeping, b: Keeping): Keeping {
  const forMs = a.forMs === null || b.forMs === null ? null : Math.max(a.forMs, b.forMs)
  return { forMs, most: Math.max(a.most, b.most) }
}

function isEqual(a: Keeping, b: Keeping): boolean {
  return a.forMs === b.forMs && a.most === b.most
}

/** Removes a clause. Its facts go when they are pruned. */
export async function removeFactClause(tx: Tx, clause: number): Promise<void> {
  await tx.run(sql`DELETE FROM fact_clauses WHERE number = ${clause}`)
}

/** Adds facts of archived events, where their users have an identity. Resolves to false if the slice is out of date. */
export async function fillFacts(tx: Tx, slice: FillSlice): Promise<boolean> {
  const { clauses, through, at } = slice
  if ((await lockProfiles(tx)).purges !== slice.purges) return false
  const facts = await withIdentities(tx, slice.facts)
  const added = await tx.all(
    sql<Pick<IdentityFact, 'identity'>>`${insertionOf(tx, facts)} RETURNING identity`,
  )
  await trimAfter(tx, facts)
  const identities = added.map(({ identity }) => identity)
  await touchProfiles(tx, identities, at)
  await tx.run(sql`
    UPDATE fact_clauses SET filled_through = CASE WHEN fill_through < ${through} THEN fill_through
      ELSE CAST(${through} AS bigint) END
    WHERE filled_through < ${through} AND filled_through < fill_through
      AND number IN (SELECT number FROM ${tx.dialect.given({ number: ['number', clauses] })})`)
  return true
}

async function withIdentities(
  tx: Tx,
  facts: readonly ArchivedFact[],
): Promise<readonly IdentityFact[]> {
  const ids = facts.flatMap((fact) => fact.ids.map((id) => ({ space: fact.space, ...id })))
  const found = await numbersOf(tx, ids)
  let looked = 0
  return facts.flatMap(({ clause, at, position, value, ids: { length } }) => {
    const ofFact = found.slice(looked, (looked += length))
    const identity = ofFact.find((each) => each !== undefined)
    return identity === undefined ? [] : [{ identity, clause, at, position, value }]
  })
}

/** Adds facts. One that is there already stays. */
export async function putFacts(tx: Tx, facts: readonly IdentityFact[]): Promise<void> {
  if (facts.length === 0) return
  await tx.run(insertionOf(tx, facts))
  await trimAfter(tx, facts)
}

function insertionOf(tx: Tx, facts: readonly IdentityFact[]): Statement {
  const values = facts.map(({ value }) => (value === null ? null : JSON.stringify(value)))
  return sql`
    INSERT INTO facts (identity, clause, at, position, value)
    SELECT identity, clause, at, position, value FROM ${tx.dialect.given({
      identity: ['number', facts.map(({ identity }) => identity)],
      clause: ['number', facts.map(({ clause }) => clause)],
      at: ['number', facts.map(({ at }) => at)],
      position: ['number', facts.map(({ position }) => position)],
      value: ['text', values],
    })} WHERE true ON CONFLICT DO NOTHING`
}

/** Trims what has got some of these facts. */
async function trimAfter(tx: Tx, facts: readonly IdentityFact[]): Promise<void> {
  const due = facts.filter(({ position }) => position % TRIM_EVERY === 0)
  for (const key of new Map(due.map((fact) => [`${fact.identity} ${fact.clause}`, fact])).values())
    await trim(tx, key)
}

type FactKey = Pick<IdentityFact, 'identity' | 'clause'>

/** Removes the oldest facts of an identity, beyond the number that the clause keeps: 0 if it is gone. */
async function trim(tx: Tx, { identity, clause }: FactKey): Promise<void> {
  await tx.run(sql`
    DELETE FROM facts WHERE identity = ${identity} AND clause = ${clause} AND (at, position) <= (
      SELECT at, position FROM facts WHERE identity = ${identity} AND clause = ${clause}
      ORDER BY at DESC, position DESC
      LIMIT 1 OFFSET coalesce((SELECT keep_most FROM fact_clauses WHERE number = ${clause}), 0))`)
}

/**
 * Removes facts of some identities: those that are older than their clauses keep them, those that are more, and those of
 * clauses that are gone. Returns where the next slice begins; `null` at the end.
 */
export async function pruneFacts(
  tx: Tx,
  { now, after }: { readonly now: number; readonly after: number },
): Promise<number | null> {
  const [bounds] = await tx.all(sql<{ first: number | null; beyond: number | null }>`
    SELECT (SELECT min(identity) FROM facts WHERE identity > ${after}) AS first, (
      SELECT identity FROM facts WHERE identity > ${after} ORDER BY identity
      LIMIT 1 OFFSET ${PRUNE_FACTS}) AS beyond`)
  const { first, beyond } = bounds!
  if (first === null) return null
  // The identity at the end has more facts than fit.
  const reached = beyond === null ? Number.MAX_SAFE_INTEGER : Math.max(first, beyond - 1)
  const looked = sql`identity > ${after} AND identity <= ${reached}`
  await tx.run(sql`
    DELETE FROM facts WHERE ${looked} AND (
      at <= ${now} - (SELECT keep_ms FROM fact_clauses WHERE number = clause)
      OR NOT EXISTS (SELECT 1 FROM fact_clauses WHERE number = clause))`)
  const full = await tx.all(sql<FactKey>`
    SELECT identity, clause FROM facts WHERE ${looked} GROUP BY identity, clause
    HAVING count(*) > (SELECT keep_most FROM fact_clauses WHERE number = clause)`)
  for (const key of full) await trim(tx, key)
  return beyond === null ? null : reached
}
