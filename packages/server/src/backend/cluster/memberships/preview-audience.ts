import { sql } from 'kysely'
import type { CatalogSnapshot } from '../../catalog.ts'
import type { Preview, PreviewQuery } from '../../memberships.ts'
import type { Fact } from '../../profiles.ts'
import { CompiledCondition, type ReadProfile } from '../evaluations/compiled-condition.ts'
import { clausesIn } from '../evaluations/condition-outcome.ts'
import { nextSlice } from '../evaluations/profile-slices.ts'
import { jsonIn } from '../evaluations/trait-values.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { fromText, toText } from '../postgres/text.ts'
import { ArchivedFacts } from './archived-facts.ts'

/** Profiles up to which the size is exact; of more, a sample is looked at. */
const MOST_PROFILES = 100_000
const SAMPLE = 10
const SAMPLED_FACTS = 10_000

/** The preview of an audience: its size, and some of its members. */
export async function previewAudience(
  postgres: Postgres,
  query: PreviewQuery & { readonly sources: CatalogSnapshot['sources'] },
): Promise<Preview> {
  const archived = await ArchivedFacts.read(postgres, query)
  // Every k-th profile: their numbers say nothing about them.
  const step = Math.ceil((await countProfiles(postgres, query.space)) / MOST_PROFILES) || 1
  const { size, sample } = await findMembers(postgres, { query, archived, step })
  const users = await usersOf(postgres, sample)
  const facts = await Promise.all(
    sample.map((profile) => sampledFacts(postgres, { query, archived, profile })),
  )
  return {
    size: size * step,
    isExact: step === 1 && archived.isWhole,
    sample: sample.map((profile, index) => ({
      userId: users.get(profile) ?? null,
      facts: facts[index]!,
    })),
  }
}

async function countProfiles(postgres: Postgres, space: string): Promise<number> {
  const [row] = await postgres.run(
    sql<{ readonly profiles: number }>`SELECT profiles FROM spaces WHERE name = ${toText(space)}`,
  )
  return row?.profiles ?? 0
}

interface Looking {
  readonly query: PreviewQuery
  readonly archived: ArchivedFacts
  readonly step: number
}

/** Looks at every `step`th profile of the space. */
async function findMembers(
  postgres: Postgres,
  { query: { condition, now, ...query }, archived, step }: Looking,
): Promise<{ readonly size: number; readonly sample: readonly number[] }> {
  const timesOf = archived.timesOf.bind(archived)
  const compiled = new CompiledCondition(condition, { now, timesOf })
  const space = toText(query.space)
  const only = sql`space = ${space} AND id % ${step} = 0`
  const sample: number[] = []
  let size = 0
  const lookUps = clausesIn(condition).length
  for (let after = 0, isEnd = false; !isEnd;) {
    const slice = await nextSlice(postgres, { space, after, only, lookUps })
    if (slice === undefined) break
    const rows = await postgres.run(
      sql<ReadProfile>`
      SELECT p.id AS id, ${compiled.columns}
      FROM (SELECT id FROM profiles WHERE id > ${after} AND id <= ${slice.through} AND ${only}) AS p
      LEFT JOIN profile_traits AS t ON t.profile = p.id ORDER BY p.id`,
    )
    const members = rows.filter((row) => compiled.outcomeOf(row).holds)
    size += members.length
    sample.push(...members.slice(0, SAMPLE - sample.length).map(({ id }) => id))
    ;({ through: after, isEnd } = slice)
  }
  return { size, sample }
}

/** The first userId of each profile that has one. */
async function usersOf(
  postgres: Postgres,
  profiles: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await postgres.run(sql<{ readonly profile: number; readonly id: string }>`
    SELECT DISTINCT ON (profile) profile, id FROM profile_ids
    WHERE profile = ANY (${profiles}::bigint[]) AND kind = 'user' AND is_seen ORDER BY profile, id`)
  return new Map(rows.map(({ profile, id }) => [profile, fromText(id)]))
}

async function sampledFacts(
  postgres: Postgres,
  {
    query: { sampledClause: clause },
    archived,
    profile,
  }: Pick<Looking, 'query' | 'archived'> & { readonly profile: number },
): Promise<readonly Fact[]> {
  if (clause === undefined) return []
  if (clause < 0) return archived.newest(clause, profile, SAMPLED_FACTS)
  const rows = await postgres.run(sql<Fact & { readonly value: string | null }>`
    SELECT at, position, value FROM facts WHERE profile = ${profile} AND clause = ${clause}
    ORDER BY at DESC, position DESC LIMIT ${SAMPLED_FACTS}`)
  return rows.map(({ value, ...fact }) => ({ ...fact, value: jsonIn(value) ?? null }))
}
