import { type RawBuilder, sql } from 'kysely'
import type { Differing, DifferingQuery, PlannedCondition } from '../../evaluations.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { toText } from '../postgres/text.ts'
import { existsByIndex, hasResult } from './compiled-clause.ts'
import { CompiledCondition, type ReadProfile } from './compiled-condition.ts'
import { numberOf } from './computation-numbers.ts'
import { clausesIn } from './condition-outcome.ts'
import { nextSlice } from './profile-slices.ts'

type Found = Pick<Differing, 'profileIds' | 'missed'>
const NOTHING: Found = { profileIds: [], missed: [] }

/** What is looked up of each profile beside the clauses: its result, and whether its users were told. */
const LOOK_UPS = 2

/** Looks in a slice of all profiles for those whose results may not be what their computation says. */
export async function findDiffering(postgres: Postgres, query: DifferingQuery): Promise<Differing> {
  const { condition, after } = query
  const space = toText(query.space)
  const lookUps = LOOK_UPS + (condition === undefined ? 0 : clausesIn(condition).length)
  const slice = await nextSlice(postgres, { space, after, lookUps })
  if (slice === undefined) return { ...NOTHING, looked: 0, reached: null }
  const { through, isEnd, looked } = slice
  const inSlice = sql`p.id > ${after} AND p.id <= ${through} AND p.space = ${space}`
  const found =
    condition === undefined
      ? await candidates(postgres, query, inSlice)
      : await differing(postgres, { ...query, condition }, inSlice)
  return { ...found, looked, reached: isEnd ? null : through }
}

interface LookedAt extends ReadProfile {
  readonly recheck_at: number | null
  /** Whether the evaluation in real time will find it. */
  readonly is_due: boolean
  /** Whether it has a result. */
  readonly was: boolean
  /** Whether it has one, and a user who was not told. */
  readonly is_untold: boolean
}

async function differing(
  postgres: Postgres,
  query: DifferingQuery & { readonly condition: PlannedCondition },
  inSlice: RawBuilder<unknown>,
): Promise<Found> {
  const { computationId, condition, now, findsRechecks } = query
  const compiled = new CompiledCondition(condition, { now })
  const was = hasResult(computationId)
  const rows = await postgres.run(
    sql<LookedAt>`
    SELECT p.id AS id, p.recheck_at AS recheck_at, ${was} AS was,
      p.dirty_since IS NOT NULL OR coalesce(p.recheck_at <= ${now}, false) AS is_due,
      CASE WHEN ${was} THEN ${hasUntoldUser(computationId)} ELSE false END AS is_untold,
      ${compiled.columns}
    FROM profiles AS p LEFT JOIN profile_traits AS t ON t.profile = p.id
    WHERE ${inSlice} ORDER BY p.id`,
  )
  const found = rows.map((row) => {
    const { holds, next } = compiled.outcomeOf(row)
    const differs = holds !== row.was || row.is_untold
    const isLate = findsRechecks && next < (row.recheck_at ?? Infinity)
    return { id: row.id, isFound: differs || isLate, isMissed: differs && !row.is_due }
  })
  return {
    profileIds: found.filter(({ isFound }) => isFound).map(({ id }) => id),
    missed: found.filter(({ isMissed }) => isMissed).map(({ id }) => id),
  }
}

/** A user whom an event has named while the audience was not evaluated, or who was joined to a member then. */
function hasUntoldUser(computationId: string): RawBuilder<unknown> {
  return existsByIndex(sql`
    FROM profile_ids AS i
    LEFT JOIN announced AS a ON a.user_id = i.id AND a.computation = ${numberOf(computationId)}
    WHERE i.profile = p.id AND i.kind = 'user' AND i.is_seen AND a.value IS DISTINCT FROM 'true'`)
}

/** Profiles that have a fact of the clauses, or a result. */
async function candidates(
  postgres: Postgres,
  { computationId, clauses }: DifferingQuery,
  inSlice: RawBuilder<unknown>,
): Promise<Found> {
  const hasFact = existsByIndex(
    sql`FROM facts WHERE profile = p.id AND clause = ANY (${clauses}::bigint[])`,
  )
  const rows = await postgres.run(sql<{ readonly id: number }>`
    SELECT id FROM profiles AS p WHERE ${inSlice} AND (${hasResult(computationId)} OR ${hasFact})
    ORDER BY id`)
  return { ...NOTHING, profileIds: rows.map(({ id }) => id) }
}
