import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Preview, PreviewQuery } from '../../memberships.ts'
import type { Fact } from '../../profiles.ts'
import { compileCondition } from '../evaluations/compile-condition.ts'
import { addOperators } from '../evaluations/find-differing.ts'
import { factOf } from '../evaluations/load-profiles.ts'

/** Profiles up to which the size is exact; of more, a sample is looked at. */
const MOST_PROFILES = 100_000
/** The newest events of the archive that are looked at where a clause has no facts yet. */
const MOST_EVENTS = 200_000
/** Events that one statement looks at: a JavaScript function in SQL keeps its texts in memory until then. */
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
    'SELECT (SELECT COUNT(*) FROM profiles) AS profiles, (SELECT COUNT(*) FROM events) AS events',
  )
  return (query) => {
    const { profiles, events } = bounds.get()!
    try {
      for (const [clause, selection] of query.selections) fill(db, query.space, clause, selection)
      // Every k-th profile: their numbers say nothing about them.
      const step = Math.ceil(Number(profiles) / MOST_PROFILES) || 1
      const found = membersAmong(db, query, step)
      const isWhole = query.selections.size === 0 || Number(events) <= MOST_EVENTS
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
         SELECT p.id AS id ${columns} FROM profiles AS p WHERE p.space = ? AND p.id % ${step} = 0)
       SELECT id FROM looked WHERE ${compiled.verdict}`,
    )
    .all(...compiled.values, space)
  return found.map(({ id }) => Number(id))
}

/** Counts the newest events of the archive for a clause, as a filled clause would. */
function fill(
  db: DatabaseSync,
  space: string,
  clause: number,
  { event, type, name, where = [], property }: Selection,
): void {
  const data = type === 'identify' || type === 'group' ? '$.traits' : '$.properties'
  const pathOf = (path: string): string =>
    data +
    path
      .split('.')
      .map((key) => `.${JSON.stringify(key)}`)
      .join('')
  const conditions = ['events.type = ?']
  const values: SQLInputValue[] = [type ?? 'track']
  const named = type === undefined ? event : name
  if (named !== undefined) {
    conditions.push('body ->> ? = ?')
    values.push(type === undefined ? '$.event' : '$.name', named)
  }
  for (const { property: of, ...comparison } of where) {
    conditions.push("holds(?, body -> ?, time_ms(body ->> '$.timestamp'))")
    values.push(JSON.stringify(comparison), pathOf(of))
  }
  if (property !== undefined) {
    conditions.push("ifnull(body -> ?, 'null') <> 'null'")
    values.push(pathOf(property))
  }
  const insert = db.prepare(
    `INSERT OR IGNORE INTO previewed_facts
     SELECT profile_ids.profile, ?, time_ms(body ->> '$.timestamp'), seq, ${property === undefined ? '?' : 'body -> ?'}
     FROM events JOIN profile_ids ON profile_ids.space = ?
       AND kind = iif(user_id IS NULL, 'anonymous', 'user')
       AND profile_ids.id = ifnull(user_id, body ->> '$.anonymousId')
     WHERE seq > ? AND seq <= ? AND json_valid(body)
       AND origin IS NULL AND ${conditions.join(' AND ')}`,
  )
  const value = property === undefined ? null : pathOf(property)
  const last = Number(db.prepare('SELECT MAX(seq) AS last FROM events').get()!['last'] ?? 0)
  for (let after = Math.max(0, last - MOST_EVENTS); after < last; after += CHUNK_EVENTS)
    insert.run(clause, value, space, after, after + CHUNK_EVENTS, ...values)
}

type Selection = PreviewQuery['selections'] extends ReadonlyMap<number, infer T> ? T : never

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
