import { type Comparison, holds, type Json, nextChangeOf } from '@hookline/protocol'
import type { DatabaseSync } from 'node:sqlite'
import type { Differing, DifferingQuery } from '../../evaluations.ts'
import { readJson } from '../database/rows.ts'
import { compileCondition, PROFILES_WITH_TRAITS } from './compile-condition.ts'

/** Profiles that one slice looks at, in whatever space. */
const SLICE = 10_000

/** Adds what the operators mean to a connection: compiled conditions call it. */
export function addOperators(db: DatabaseSync): void {
  const comparisons = new Map<unknown, Comparison>()
  const comparisonOf = (json: unknown): Comparison => {
    let comparison = comparisons.get(json)
    if (comparison === undefined) {
      // A condition has few comparisons: old ones go when there are many.
      if (comparisons.size > 1_000) comparisons.clear()
      comparisons.set(json, (comparison = JSON.parse(String(json)) as Comparison))
    }
    return comparison
  }
  const actualOf = (json: unknown): Json | undefined =>
    json === null ? undefined : ((readJson(json) as Json | undefined) ?? undefined)
  db.function('satisfies', { deterministic: true }, (comparison, actual, now) =>
    holds(comparisonOf(comparison), actualOf(actual), Number(now)) ? 1 : 0,
  )
  db.function('next_change', { deterministic: true }, (comparison, actual, now) =>
    nextChangeOf(comparisonOf(comparison), actualOf(actual), Number(now)),
  )
}

/** Prepares the search for profiles whose results may not be what their computation says. */
export function findDiffering(db: DatabaseSync): (query: DifferingQuery) => Differing {
  addOperators(db)
  const slice = db.prepare(
    `SELECT MAX(id) AS reached, COUNT(*) AS count, SUM(space = ?) AS looked FROM (
       SELECT id, space FROM profiles WHERE id > ? ORDER BY id LIMIT ${SLICE})`,
  )
  return (query) => {
    const { reached, count, looked } = slice.get(query.space, query.after)!
    if (reached === null) return { profileIds: [], missed: [], looked: 0, reached: null }
    const through = Number(reached)
    const found =
      query.condition === undefined ? candidates(db, query, through) : differing(db, query, through)
    return {
      ...found,
      looked: Number(looked),
      reached: Number(count) < SLICE ? null : through,
    }
  }
}

type Found = Pick<Differing, 'profileIds' | 'missed'>

function differing(db: DatabaseSync, query: DifferingQuery, through: number): Found {
  const { computationId, space, condition, now, after, findsRechecks } = query
  const { columns, values, verdict, next } = compileCondition(condition!, { now })
  const differs = `(${verdict}) <> was OR was AND ${HAS_UNTOLD_USER}`
  const rechecks = findsRechecks
    ? `OR ${next} < ifnull(recheck_at, ${Number.MAX_SAFE_INTEGER})`
    : ''
  const rows = db
    .prepare(
      `WITH looked AS MATERIALIZED (
         SELECT p.id AS id, p.recheck_at AS recheck_at, n.number AS number,
           p.dirty_since IS NOT NULL OR ifnull(p.recheck_at <= ?, 0) AS is_due,
           EXISTS (SELECT 1 FROM results WHERE profile = p.id AND computation = n.number) AS was
           ${columns === '' ? '' : `, ${columns}`}
         FROM ${PROFILES_WITH_TRAITS} LEFT JOIN computations AS n ON n.id = ?
         WHERE p.id > ? AND p.id <= ? AND p.space = ?)
       SELECT id, is_due, (${differs}) AS differs FROM looked
       WHERE ${differs} ${rechecks}`,
    )
    .all(now, ...values, computationId, after, through, space)
  return {
    profileIds: rows.map(({ id }) => Number(id)),
    missed: rows.filter((row) => row['differs'] && !row['is_due']).map(({ id }) => Number(id)),
  }
}

/** A user whom an event has named while the audience was not evaluated, or who was joined to a member then. */
const HAS_UNTOLD_USER = `EXISTS (
  SELECT 1 FROM profile_ids LEFT JOIN announced ON user_id = profile_ids.id AND computation = looked.number
  WHERE profile = looked.id AND kind = 'user' AND is_seen AND announced.value IS NOT 'true')`

/** Profiles that have a fact of the clauses, or a result. */
function candidates(db: DatabaseSync, query: DifferingQuery, through: number): Found {
  const { computationId, space, clauses, after } = query
  const hasFact = clauses.map(
    (clause) => `EXISTS (SELECT 1 FROM facts WHERE profile = p.id AND clause = ${clause})`,
  )
  const hasResult = `EXISTS (SELECT 1 FROM results WHERE profile = p.id AND computation =
    (SELECT number FROM computations WHERE id = ?))`
  const rows = db
    .prepare(
      `SELECT id FROM profiles AS p WHERE id > ? AND id <= ? AND space = ?
       AND (${[hasResult, ...hasFact].join(' OR ')})`,
    )
    .all(after, through, space, computationId)
  return { profileIds: rows.map(({ id }) => Number(id)), missed: [] }
}
