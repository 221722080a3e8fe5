import { DEFAULT_SPACE, pathOf } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { PreviewQuery } from '../../memberships.ts'

/** The newest events of the archive that are looked at where a clause has no facts yet. */
export const MOST_EVENTS = 200_000
/** Events that one statement looks at: a JavaScript function in SQL keeps its texts in memory until then. */
const CHUNK_EVENTS = 10_000

/** The table of the facts of a preview, as `facts`: each connection has its own, in memory. */
export const PREVIEWED_FACTS = 'previewed_facts'

type Selection = PreviewQuery['selections'] extends ReadonlyMap<number, infer T> ? T : never

/** Some events of clients in a space. The bodies of those that are damaged are `NULL`. */
const READABLE_EVENTS = `
  SELECT seq, events.type AS type, user_id, CASE WHEN json_valid(body) THEN body END AS body
  FROM events LEFT JOIN catalog ON catalog.kind = 'source' AND catalog.id = source_id
  WHERE seq > ? AND seq <= ? AND origin IS NULL
    AND ifnull(catalog.document ->> '$.space', '${DEFAULT_SPACE}') = ?`

/** Prepares the filling of PREVIEWED_FACTS with the newest events that a clause selects, as a clause is filled. */
export function previewedFacts(
  db: DatabaseSync,
): (space: string, clause: number, selection: Selection) => void {
  db.function('time_ms', { deterministic: true }, (text) => Date.parse(String(text)))
  db.exec(`CREATE TEMP TABLE ${PREVIEWED_FACTS} (
    profile INTEGER, clause INTEGER, at INTEGER, position INTEGER, value TEXT,
    PRIMARY KEY (profile, clause, at, position)) WITHOUT ROWID`)
  const newest = db.prepare('SELECT MAX(seq) AS last FROM events')
  return (space, clause, selection) => {
    const { value, conditions, values } = selected(selection)
    const insert = db.prepare(
      `INSERT OR IGNORE INTO ${PREVIEWED_FACTS}
       SELECT profile_ids.profile, ?, time_ms(body ->> '$.timestamp'), seq, body -> ?
       FROM (${READABLE_EVENTS}) AS events CROSS JOIN profile_ids ON profile_ids.space = ?
         AND profile_ids.kind = iif(user_id IS NULL, 'anonymous', 'user')
         AND profile_ids.id = ifnull(user_id, body ->> '$.anonymousId')
       WHERE ${conditions.join(' AND ')}`,
    )
    const last = Number(newest.get()!['last'] ?? 0)
    for (let after = Math.max(0, last - MOST_EVENTS); after < last; after += CHUNK_EVENTS)
      insert.run(clause, value, after, after + CHUNK_EVENTS, space, space, ...values)
  }
}

interface Selected {
  /** The JSON path of the value of a fact; `null` where it has none. */
  readonly value: string | null
  readonly conditions: readonly string[]
  readonly values: readonly SQLInputValue[]
}

/** A selection as conditions on events. */
function selected({ event, type, name, where = [], property }: Selection): Selected {
  const data = type === 'identify' || type === 'group' ? 'traits' : 'properties'
  const jsonPathOf = (path: string): string =>
    ['$', data, ...pathOf(path).map((key) => JSON.stringify(key))].join('.')
  const conditions = ['events.type = ?']
  const values: SQLInputValue[] = [type ?? 'track']
  const named = type === undefined ? event : name
  if (named !== undefined) {
    conditions.push('body ->> ? = ?')
    values.push(type === undefined ? '$.event' : '$.name', named)
  }
  for (const { property: of, ...comparison } of where) {
    conditions.push("holds(?, body -> ?, time_ms(body ->> '$.timestamp'))")
    values.push(JSON.stringify(comparison), jsonPathOf(of))
  }
  const value = property === undefined ? null : jsonPathOf(property)
  if (value !== null) {
    conditions.push("ifnull(body -> ?, 'null') <> 'null'")
    values.push(value)
  }
  return { value, conditions, values }
}
