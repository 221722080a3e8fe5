import type { EventSelection } from '@hookline/protocol'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Preview, PreviewQuery } from '../../memberships.ts'
import { compileCondition } from '../evaluations/compile-condition.ts'
import { addOperators } from '../evaluations/find-differing.ts'

/** Profiles up to which the size is exact; of more, a sample is looked at. */
const MOST_PROFILES = 100_000
/** The newest events of the archive that are looked at where a clause has no facts yet. */
const MOST_EVENTS = 500_000
const SAMPLE = 10

/** Prepares the preview of an audience: its size, and some of its members. */
export function previewAudience(db: DatabaseSync): (query: PreviewQuery) => Preview {
  addOperators(db)
  db.function('time_ms', { deterministic: true }, (text) => Date.parse(String(text)))
  db.exec(`CREATE TEMP TABLE previewed_facts (
    profile INTEGER, clause INTEGER, at INTEGER, position INTEGER,
    PRIMARY KEY (profile, clause, at, position)) WITHOUT ROWID`)
  const bounds = db.prepare(
    `SELECT (SELECT COUNT(*) FROM profiles) AS profiles, (SELECT COUNT(*) FROM events) AS events`,
  )
  return ({ space, condition, selections, now }) => {
    const { profiles, events } = bounds.get()!
    for (const [clause, selection] of selections) fill(db, { space, clause, selection })
    try {
      // Every k-th profile: their numbers say nothing about them.
      const step = Math.ceil(Number(profiles) / MOST_PROFILES) || 1
      const factsTable = (clause: number): string => (clause < 0 ? 'previewed_facts' : 'facts')
      const { columns, values, verdict } = compileCondition(condition, { now, factsTable })
      const found = db
        .prepare(
          `WITH looked AS MATERIALIZED (
             SELECT p.id AS id ${columns === '' ? '' : `, ${columns}`} FROM profiles AS p
             WHERE p.space = ? AND p.id % ${step} = 0)
           SELECT id FROM looked WHERE ${verdict}`,
        )
        .all(...values, space)
      const sample = found.slice(0, SAMPLE).map(({ id }) => ({ userId: userOf(db, id!) }))
      const isWhole = selections.size === 0 || Number(events) <= MOST_EVENTS
      return { size: found.length * step, isExact: step === 1 && isWhole, sample }
    } finally {
      db.exec('DELETE FROM previewed_facts')
    }
  }
}

interface Filling {
  readonly space: string
  readonly clause: number
  readonly selection: EventSelection
}

/** Counts the newest events of the archive for a clause, as a filled clause would. */
function fill(db: DatabaseSync, { space, clause, selection }: Filling): void {
  const { event, type = 'track', name = event, where = [] } = selection
  const conditions = ['events.type = ?']
  const values: SQLInputValue[] = [type]
  if (name !== undefined) {
    conditions.push(`body ->> ? = ?`)
    values.push(type === 'track' ? '$.event' : '$.name', name)
  }
  for (const { property, ...comparison } of where) {
    const path = property.split('.').map((key) => `.${JSON.stringify(key)}`)
    conditions.push("holds(?, body -> ?, time_ms(body ->> '$.timestamp'))")
    values.push(
      JSON.stringify(comparison),
      `$.${type === 'identify' || type === 'group' ? 'traits' : 'properties'}${path.join('')}`,
    )
  }
  db.prepare(
    `INSERT OR IGNORE INTO previewed_facts
     SELECT profile_ids.profile, ?, time_ms(body ->> '$.timestamp'), seq FROM events
     JOIN profile_ids ON profile_ids.space = ?
       AND kind = iif(user_id IS NULL, 'anonymous', 'user')
       AND profile_ids.id = ifnull(user_id, body ->> '$.anonymousId')
     WHERE seq > (SELECT MAX(seq) FROM events) - ${MOST_EVENTS} AND json_valid(body)
       AND origin IS NULL AND ${conditions.join(' AND ')}`,
  ).run(clause, space, ...values)
}

function userOf(db: DatabaseSync, profile: SQLInputValue): string | null {
  const sql = `SELECT id FROM profile_ids WHERE profile = ? AND kind = 'user' AND is_seen ORDER BY id LIMIT 1`
  return (db.prepare(sql).get(profile)?.['id'] ?? null) as string | null
}
