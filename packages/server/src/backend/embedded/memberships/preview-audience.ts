import { DEFAULT_SPACE, type Json, pathOf } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Preview, PreviewQuery } from '../../memberships.ts'
import type { Fact } from '../../profiles.ts'
import { compileCondition, PROFILES_WITH_TRAITS } from '../evaluations/compile-condition.ts'
import { addOperators } from '../evaluations/find-differing.ts'
import { readJson, type Row } from '../database/rows.ts'

/** Profiles up to which the size is exact; of more, a sample is looked at. */
const MOST_PROFILES = 100_000
/** The newest events of the archive that are looked at where a clause has no facts yet. */
const MOST_EVENTS = 200_000
/** Events that one statement looks at: a JavaScript function in SQL keeps its texts in memory until it ends. */
const CHUNK_EVENTS = 10_000
const SAMPLE = 10
const SAMPLED_FACTS = 10_000

/** Prepares the preview of an audience: its size, and some of its members. */
export function previewAudience(db: DatabaseSync): (query: PreviewQuery) => Preview {
  addOperators(db)
  db.function('time_ms', { deterministic: true }, (text) => Date.parse(String(text)))
  db.exec(`CREATE TEMP TABLE previewed_facts (
    profile INTEGER, clause INTEGER, at INTEGER, position INTEGER, value TEXT,
    PRIMARY KEY (profile, clause, at, position)) WITHOUT ROWID`)
  const bounds = db.prepare(
    `SELECT (SELECT profiles FROM spaces WHERE name = ?) AS profiles,
       (SELECT MIN(seq) FROM events) AS first, (SELECT MAX(seq) FROM events) AS last`,
  )
  return (query) => {
    const { profiles, first, last } = bounds.get(query.space)!
    const end = Number(last ?? 0)
    try {
      for (const [clause, selection] of query.selections)
        fill(db, { space: query.space, clause, selection, end })
      // Every k-th profile: their numbers say nothing about them.
      const step = Math.ceil(Number(profiles) / MOST_PROFILES) || 1
      const found = membersAmong(db, query, step)
      const isWhole = query.selections.size === 0 || end - Number(first) < MOST_EVENTS
      return {
        size: found.length * step,
        isExact: step === 1 && isWhole,
        sample: found.slice(0, SAMPLE).map((profile) => ({
          userId: userOf(db, profile),
          facts: sampledFacts(db, query, profile),
        })),
      }
    } finally {
      db.exec('DELETE FROM previewed_facts')
    }
  }
}

function tableOf(clause: number): string {
  return clause < 0 ? 'previewed_facts' : 'facts'
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

/** Some events of clients in a space, without the bodies of those that are damaged. */
const READABLE_EVENTS = `
  SELECT seq, events.type AS type, user_id, CASE WHEN json_valid(body) THEN body END AS body
  FROM events LEFT JOIN catalog ON catalog.kind = 'source' AND catalog.id = source_id
  WHERE seq > ? AND seq <= ? AND origin IS NULL
    AND ifnull(catalog.document ->> '$.space', '${DEFAULT_SPACE}') = ?`

type Selection = PreviewQuery['selections'] extends ReadonlyMap<number, infer T> ? T : never

interface Filling {
  readonly space: string
  readonly clause: number
  readonly selection: Selection
  /** The seq of the last event. */
  readonly end: number
}

/** Counts the newest events of the archive for a clause, as a filled clause would. */
function fill(db: DatabaseSync, { space, clause, selection, end }: Filling): void {
  const { conditions, values } = conditionsOf(selection)
  const { property } = selection
  const value = property === undefined ? null : dataPath(selection, property)
  const insert = db.prepare(
    `INSERT OR IGNORE INTO previewed_facts
     SELECT profile_ids.profile, ?, time_ms(body ->> '$.timestamp'), seq,
       ${value === null ? '?' : 'body -> ?'}
     FROM (${READABLE_EVENTS}) AS events
     CROSS JOIN profile_ids ON profile_ids.space = ?
       AND profile_ids.kind = iif(user_id IS NULL, 'anonymous', 'user')
       AND profile_ids.id = ifnull(user_id, body ->> '$.anonymousId')
     WHERE ${conditions.join(' AND ')}`,
  )
  for (let after = Math.max(0, end - MOST_EVENTS); after < end; after += CHUNK_EVENTS)
    insert.run(clause, value, after, after + CHUNK_EVENTS, space, space, ...values)
}

function conditionsOf(selection: Selection): {
  readonly conditions: readonly string[]
  readonly values: readonly SQLInputValue[]
} {
  const { event, type, name, where = [], property } = selection
  const conditions = ['events.type = ?']
  const values: SQLInputValue[] = [type ?? 'track']
  const named = type === undefined ? event : name
  if (named !== undefined) {
    conditions.push('body ->> ? = ?')
    values.push(type === undefined ? '$.event' : '$.name', named)
  }
  for (const { property: of, ...comparison } of where) {
    conditions.push("satisfies(?, body -> ?, time_ms(body ->> '$.timestamp'))")
    values.push(JSON.stringify(comparison), dataPath(selection, of))
  }
  if (property !== undefined) {
    conditions.push("ifnull(body -> ?, 'null') <> 'null'")
    values.push(dataPath(selection, property))
  }
  return { conditions, values }
}

/** The path of a property in the JSON of a call: in its traits, if it is a call that has traits. */
function dataPath({ type }: Selection, property: string): string {
  const data = type === 'identify' || type === 'group' ? 'traits' : 'properties'
  return [`$.${data}`, ...pathOf(property).map((key) => JSON.stringify(key))].join('.')
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

function factOf({ at, position, value }: Row): Fact {
  return {
    at: Number(at),
    position: Number(position),
    value: value === null ? null : (readJson(value) as Json),
  }
}
