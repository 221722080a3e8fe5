import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const DAY_MS = 24 * 60 * 60 * 1000
/** Facts per profile, at intervals of nine days before the last one. */
const FACTS = 10
/** The maximum age of a profile's last fact. */
const OLDEST_LAST_MS = 180 * DAY_MS

/**
 * Adds profiles to the database of a stopped service, as it would store them for users with a userId, an anonymousId,
 * five traits, and ten events counted by its one clause. A fifth has the trait `plan` = `pro`. The events themselves
 * are not in the archive.
 */
export function addProfiles(dataDir: string, count: number): void {
  using db = new DatabaseSync(join(dataDir, 'hookline.db'))
  // Durability does not matter, because the benchmark starts again after a crash.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; BEGIN')
  const first = Number(
    db.prepare('SELECT ifnull(MAX(id), 0) + 1 AS first FROM identities').get()!['first'],
  )
  if (first !== 1) throw new Error('The database already has profiles.')
  const numbers = `WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ${count})`
  const now = Date.now()
  const seen = `${now - 270 * DAY_MS}, ${now - OLDEST_LAST_MS}`
  const columns =
    'id, space, kind, name, profile, is_seen, first_seen_at, last_seen_at, counts, placeholders, version'
  // The userIds of the calls in a load.
  db.exec(`${numbers} INSERT INTO identities (${columns})
    SELECT n, 'default', 'user', 'user-' || printf('%010d', n - 1), n, 1, ${seen},
      '{"identify":1,"track":${FACTS}}', 0, 1 FROM copy`)
  db.exec(`${numbers} INSERT INTO identities (${columns})
    SELECT n + ${count}, 'default', 'anonymous', 'anonymous-' || printf('%026d', n), n, 1, ${seen}, '{}', 0, 0
    FROM copy`)
  db.exec(`${numbers} INSERT INTO claims
    SELECT n + ${count}, n, ${now - 270 * DAY_MS}, ${now - 270 * DAY_MS}, 'message-' || n,
      'evt_' || printf('%026d', n), 'src_known', 1 FROM copy`)
  db.exec(`${numbers} INSERT INTO identity_traits SELECT n, ${traits(now)} FROM copy`)
  db.exec(`${numbers}, fact (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM fact WHERE k < ${FACTS - 1}),
      last_at (n, at) AS MATERIALIZED (SELECT n, ${now} - abs(random()) % ${OLDEST_LAST_MS} FROM copy)
    INSERT INTO facts
    SELECT n, (SELECT MIN(number) FROM fact_clauses), at - (${FACTS - 1} - k) * ${9 * DAY_MS},
      (n - 1) * ${FACTS} + k + 1, NULL
    FROM last_at CROSS JOIN fact`)
  db.exec(`UPDATE cursors SET through = ${count * FACTS} WHERE name = 'profiles';
    UPDATE profiles_state SET identities = ${2 * count};
    INSERT INTO spaces VALUES ('default', ${count}) ON CONFLICT DO UPDATE SET profiles = ${count};
    COMMIT; PRAGMA journal_mode = WAL`)
}

/** The JSON of a profile's traits. */
function traits(now: number): string {
  const from = `${now - 270 * DAY_MS}, ${now - 270 * DAY_MS}, 'evt_' || printf('%026d', n), 'src_known'`
  const values = {
    plan: `CASE WHEN n % 5 = 0 THEN 'pro' ELSE 'free' END`,
    country: `'DE'`,
    name: `'User ' || n`,
    email: `'user-' || n || '@example.com'`,
    logins: 'n % 100',
  }
  const members = Object.entries(values).map(
    ([name, sql]) => `'${name}', json_array(${sql}, ${from})`,
  )
  return `json_object(${members.join(', ')})`
}
