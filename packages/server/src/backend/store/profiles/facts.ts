import {
  type ArchivedFact,
  type FactClause,
  type Facts,
  type FillSlice,
  type FactRetention,
  mergedRetention,
} from '../../facts.ts'
import type { Fact } from '../../profiles.ts'
import { numbersIn } from '../dialect.ts'
import { sql, type Statement } from '../sql.ts'
import type { Store, Tx } from '../store.ts'
import { numbersOf, profilesPosition, touchProfiles } from './identities.ts'
import { lockProfiles } from './lock-profiles.ts'

export interface IdentityFact extends Fact {
  readonly identity: number
  readonly clause: number
}

/** One in this many facts triggers the removal of an identity's facts beyond the clause's limit. */
const TRIM_EVERY = 32
/** The number of facts that one slice of pruning examines; more if a single identity has more. */
const PRUNE_FACTS = 5_000

export function storedFacts(store: Store): Facts {
  return {
    async clauses() {
      const rows = await store.lookUp(
        sql<ClauseRow>`SELECT ${CLAUSE} FROM fact_clauses ORDER BY number`,
      )
      return rows.map(clauseOf)
    },
    put: (clause) => store.write(putFactClause, clause),
    fill: (slice) => store.write(fillFacts, slice),
    remove: (clause) => store.write(removeFactClause, clause),
    prune: ({ now, cursor = 0 }) => store.write(pruneFacts, { now, after: cursor }),
  }
}

type ClauseRow = Omit<FactClause, 'retention'> & FactRetention

const CLAUSE = sql`number, definition, keep_ms AS "maxAgeMs", keep_most AS "maxCount", fill_through AS "fillThrough",
  filled_through AS "filledThrough", reaches_back_to AS "reachesBackTo"`

function clauseOf({ maxAgeMs, maxCount, ...clause }: ClauseRow): FactClause {
  return { ...clause, retention: { maxAgeMs, maxCount } }
}

/** Adds a clause, or extends the limits of the existing one, which is then filled again. */
export async function putFactClause(
  tx: Tx,
  { definition, retention, reachesBackTo }: Parameters<Facts['put']>[0],
): Promise<FactClause> {
  // The clause begins at the current position, so slices and other nodes must wait.
  await lockProfiles(tx)
  const [row] = await tx.all(sql<ClauseRow>`
    SELECT ${CLAUSE} FROM fact_clauses WHERE definition = ${definition}`)
  const existing = row && clauseOf(row)
  const needed = existing === undefined ? retention : mergedRetention(retention, existing.retention)
  if (existing !== undefined && isEqual(needed, existing.retention)) return existing
  const position = await profilesPosition(tx)
  const { maxAgeMs, maxCount } = needed
  // Not an upsert: PostgreSQL has an exclusion constraint, because definitions may be long.
  const [put] = await tx.all(
    existing === undefined
      ? sql<ClauseRow>`
          INSERT INTO fact_clauses
            (definition, keep_ms, keep_most, fill_through, filled_through, reaches_back_to)
          VALUES (${definition}, ${maxAgeMs}, ${maxCount}, ${position}, 0, ${reachesBackTo}) RETURNING ${CLAUSE}`
      : sql<ClauseRow>`
          UPDATE fact_clauses SET keep_ms = ${maxAgeMs}, keep_most = ${maxCount}, fill_through = ${position},
            filled_through = 0, reaches_back_to = ${reachesBackTo}
          WHERE number = ${existing.number} RETURNING ${CLAUSE}`,
  )
  return clauseOf(put!)
}

function isEqual(a: FactRetention, b: FactRetention): boolean {
  return a.maxAgeMs === b.maxAgeMs && a.maxCount === b.maxCount
}

export async function removeFactClause(tx: Tx, clause: number): Promise<void> {
  await tx.run(sql`DELETE FROM fact_clauses WHERE number = ${clause}`)
}

/** Adds facts of archived events whose users have an identity. Resolves to false if the slice is outdated. */
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
      AND number IN (${numbersIn(tx, clauses)})`)
  return true
}

async function withIdentities(tx: Tx, facts: readonly ArchivedFact[]) {
  const ids = facts.flatMap((fact) => fact.ids.map((id) => ({ space: fact.space, ...id })))
  const numbers = await numbersOf(tx, ids)
  let offset = 0
  return facts.flatMap(({ clause, at, position, value, ids: { length } }) => {
    const ofFact = numbers.slice(offset, (offset += length))
    const identity = ofFact.find((each) => each !== undefined)
    return identity === undefined ? [] : [{ identity, clause, at, position, value }]
  })
}

export async function putFacts(tx: Tx, facts: readonly IdentityFact[]): Promise<void> {
  if (facts.length === 0) return
  await tx.run(insertionOf(tx, facts))
  await trimAfter(tx, facts)
}

function insertionOf(tx: Tx, facts: readonly IdentityFact[]): Statement {
  const rows = facts.map((fact) => {
    return { ...fact, value: fact.value === null ? null : JSON.stringify(fact.value) }
  })
  const input = tx.dialect.rows(rows, {
    text: ['value'],
    number: ['identity', 'clause', 'at', 'position'],
  })
  return sql`
    INSERT INTO facts (identity, clause, at, position, value)
    SELECT identity, clause, at, position, value FROM ${input} WHERE true ON CONFLICT DO NOTHING`
}

async function trimAfter(tx: Tx, facts: readonly IdentityFact[]): Promise<void> {
  const due = facts.filter(({ position }) => position % TRIM_EVERY === 0)
  for (const key of new Map(due.map((fact) => [`${fact.identity} ${fact.clause}`, fact])).values())
    await trim(tx, key)
}

type FactKey = Pick<IdentityFact, 'identity' | 'clause'>

/** Removes an identity's oldest facts beyond the limit of the clause, or all of them if the clause was removed. */
async function trim(tx: Tx, { identity, clause }: FactKey): Promise<void> {
  await tx.run(sql`
    DELETE FROM facts WHERE identity = ${identity} AND clause = ${clause} AND (at, position) <= (
      SELECT at, position FROM facts WHERE identity = ${identity} AND clause = ${clause}
      ORDER BY at DESC, position DESC
      LIMIT 1 OFFSET coalesce((SELECT keep_most FROM fact_clauses WHERE number = ${clause}), 0))`)
}

/**
 * Removes facts beyond their clause's age or count limit, and facts of deleted clauses. Resolves to
 * the next cursor, or `null`.
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
  // An identity may have more facts than a slice.
  const reached = beyond === null ? Number.MAX_SAFE_INTEGER : Math.max(first, beyond - 1)
  const examined = sql`identity > ${after} AND identity <= ${reached}`
  await tx.run(sql`
    DELETE FROM facts WHERE ${examined} AND (
      at <= ${now} - (SELECT keep_ms FROM fact_clauses WHERE number = clause)
      OR NOT EXISTS (SELECT 1 FROM fact_clauses WHERE number = clause))`)
  const full = await tx.all(sql<FactKey>`
    SELECT identity, clause FROM facts WHERE ${examined} GROUP BY identity, clause
    HAVING count(*) > (SELECT keep_most FROM fact_clauses WHERE number = clause)`)
  for (const key of full) await trim(tx, key)
  return beyond === null ? null : reached
}
