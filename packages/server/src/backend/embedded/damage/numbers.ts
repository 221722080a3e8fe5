import type { DatabaseSync } from 'node:sqlite'

/** The tables whose numbers are never used again, and the last number that rows of other tables have. */
const NUMBERED = {
  fact_clauses: 'SELECT MAX(clause) AS last FROM facts',
  computations: `SELECT MAX(last) AS last FROM (
    SELECT MAX(computation) AS last FROM results UNION ALL SELECT MAX(computation) FROM announced
    UNION ALL SELECT MAX(computation) FROM listed_users
    UNION ALL SELECT MAX(computation) FROM computation_changes)`,
}

const LANES_OF_PARTS = ['deliveries', 'notices'].map(
  (table) => `SELECT part.value ->> '$.lane' AS lane
    FROM ${table}, json_each(iif(json_valid(webhooks), webhooks, '[]')) AS part`,
)
const LANES_OF_ATTEMPTS = `SELECT document ->> '$.lane' FROM attempts WHERE json_valid(document)`

/** After a rebuild, no new lane, clause, computation or identity gets the number of a lost one that rows still refer to. */
export function keepNumbers(db: DatabaseSync): void {
  keepLanes(db)
  keepSequences(db)
  keepIdentities(db)
}

/** An identity whose leader is lost leads a profile of its own. */
function keepIdentities(db: DatabaseSync): void {
  const numbers = [
    'SELECT MAX(profile) AS last FROM identities',
    'SELECT MAX(id) FROM identities',
    'SELECT MAX(identity) FROM identity_traits',
    'SELECT MAX(identity) FROM facts',
    'SELECT MAX(anonymous) FROM claims',
    'SELECT MAX(claimer) FROM claims',
    'SELECT MAX(identity) FROM aliases',
    'SELECT MAX(profile) FROM results',
  ]
  db.exec(`
    UPDATE profiles_state SET identities = MAX(identities, (SELECT ifnull(MAX(last), 0) FROM (${numbers.join(' UNION ALL ')})));
    UPDATE identities SET profile = id, dirty_since = unixepoch() * 1000 WHERE profile NOT IN (SELECT id FROM identities);
    INSERT OR IGNORE INTO spaces SELECT DISTINCT space, 0 FROM identities;
    UPDATE spaces SET profiles = (SELECT COUNT(*) FROM identities WHERE space = spaces.name AND profile = id)`)
}

/** SQLite gives the next number after that in `sqlite_sequence`, and after those in the table itself. */
function keepSequences(db: DatabaseSync): void {
  const keep = db.prepare('INSERT INTO sqlite_sequence VALUES (?, ?)')
  db.exec('DELETE FROM sqlite_sequence')
  for (const [table, select] of Object.entries(NUMBERED))
    keep.run(table, db.prepare(select).get()!['last'] ?? 0)
}

/**
 * Nobody knows the URL of a lost lane. What waits in one waits for new parts, as a delivery without parts does. The last
 * lost number stays taken, by a lane of no webhook: with it, parts would go to the URL of another lane.
 */
function keepLanes(db: DatabaseSync): void {
  for (const table of ['deliveries', 'notices'])
    db.exec(
      `UPDATE ${table} SET webhooks = '[]', due_at = COALESCE(due_at, first_due_at) WHERE id IN (
         SELECT delivery_id FROM waiting_parts WHERE lane > 0 AND lane NOT IN (SELECT number FROM lanes))`,
    )
  db.exec(
    `INSERT OR IGNORE INTO lanes SELECT last, 'deliveries', '', '' FROM (
       SELECT MAX(CAST(lane AS INTEGER)) AS last
       FROM (${[...LANES_OF_PARTS, LANES_OF_ATTEMPTS].join(' UNION ALL ')}))
     WHERE last > (SELECT ifnull(MAX(number), 0) FROM lanes)`,
  )
}
