import type { DatabaseSync } from 'node:sqlite'
import type { Preview, PreviewQuery } from '../../memberships.ts'
import type { Fact } from '../../profiles.ts'
import { compileCondition, PROFILES_WITH_TRAITS } from '../evaluations/compile-condition.ts'
import { addOperators } from '../evaluations/find-differing.ts'
import { factOf } from '../evaluations/load-profiles.ts'
import { MOST_EVENTS, PREVIEWED_FACTS, previewedFacts } from './previewed-facts.ts'

/** Profiles up to which the size is exact; of more, a sample is looked at. */
const MOST_PROFILES = 100_000
const SAMPLE = 10
const SAMPLED_FACTS = 10_000

/** Prepares the preview of an audience: its size, and some of its members. */
export function previewAudience(db: DatabaseSync): (query: PreviewQuery) => Preview {
  addOperators(db)
  const fill = previewedFacts(db)
  // Two selects: SQLite finds one end of a table at once, but reads the whole table for MIN and MAX together.
  const bounds = db.prepare(
    `SELECT (SELECT profiles FROM spaces WHERE name = ?) AS profiles,
       (SELECT MAX(seq) FROM events) - (SELECT MIN(seq) FROM events) AS events`,
  )
  return (query) => {
    const { profiles, events } = bounds.get(query.space)!
    try {
      for (const [clause, selection] of query.selections) fill(query.space, clause, selection)
      // Every k-th profile: their numbers say nothing about them.
      const step = Math.ceil(Number(profiles) / MOST_PROFILES) || 1
      const found = membersAmong(db, query, step)
      const isWhole = query.selections.size === 0 || Number(events) < MOST_EVENTS
      return {
        size: found.length * step,
        isExact: step === 1 && isWhole,
        sample: found.slice(0, SAMPLE).map((profile) => ({
          userId: userOf(db, profile),
          facts: sampledFacts(db, query, profile),
        })),
      }
    } finally {
      db.exec(`DELETE FROM ${PREVIEWED_FACTS}`)
    }
  }
}

function tableOf(clause: number): string {
  return clause < 0 ? PREVIEWED_FACTS : 'facts'
}

function membersAmong(
  db: DatabaseSync,
  { space, condition, now }: PreviewQuery,
  step: number,
): readonly number[] {
  const compiled = compileCondition(condition, { now, factsTable: tableOf })
  const columns = compiled.columns === '' ? '' : `, ${compiled.columns}`
  const found = db
    .prepare(
      `WITH looked AS MATERIALIZED (
         SELECT p.id AS id ${columns} FROM ${PROFILES_WITH_TRAITS}
         WHERE p.space = ? AND p.id % ${step} = 0)
       SELECT id FROM looked WHERE ${compiled.verdict}`,
    )
    .all(...compiled.values, space)
  return found.map(({ id }) => Number(id))
}

function userOf(db: DatabaseSync, profile: number): string | null {
  const sql = `SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user' AND is_seen
    ORDER BY id LIMIT 1`
  return (db.prepare(sql).get(profile)?.['id'] ?? null) as string | null
}

function sampledFacts(
  db: DatabaseSync,
  { sampledClause: clause }: PreviewQuery,
  profile: number,
): readonly Fact[] {
  if (clause === undefined) return []
  const sql = `SELECT at, position, value FROM ${tableOf(clause)} WHERE profile = ? AND clause = ?
    ORDER BY at DESC, position DESC LIMIT ${SAMPLED_FACTS}`
  return db.prepare(sql).all(profile, clause).map(factOf)
}
