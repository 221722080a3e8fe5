import { sql } from 'kysely'
import type { Behind, Inventory } from '../../upkeep.ts'
import type { Connection } from '../postgres/postgres.ts'
import type { ReadLogState } from './log-state.ts'
import type { Tallies } from './tallies.ts'

/** The cursor of profiles among those that follow the archive. */
const PROFILES = 'profiles'

interface Counts {
  readonly databaseBytes: number
  readonly oldestEventAt: number | null
  readonly last: number
  readonly first: number | null
  readonly profiles: number | null
  readonly openReplays: number
  readonly openDeletions: number
}

/** What is stored, and what is not worked off: from tallies, and from the ends of tables. */
export async function inventoryOf(
  db: Connection,
  tallies: Tallies,
  log: ReadLogState,
): Promise<Inventory> {
  const [counts, { events }, { undecided, bytes: logBytes }] = await Promise.all([
    countsOf(db),
    tallies.read(),
    log(),
  ])
  const { databaseBytes, oldestEventAt, openReplays, openDeletions } = counts
  return {
    databaseBytes,
    logBytes,
    freeBytes: null,
    events: { count: events, isExact: true },
    oldestEventAt,
    undecided,
    notInProfiles: counts.profiles === null ? null : await behind(db, counts, counts.profiles),
    openReplays,
    openDeletions,
  }
}

async function countsOf(db: Connection): Promise<Counts> {
  const { rows } = await sql<Counts>`
    SELECT pg_database_size(current_database()) AS "databaseBytes",
      (SELECT received_at FROM events ORDER BY seq LIMIT 1) AS "oldestEventAt",
      (SELECT seq FROM archive) AS last,
      (SELECT min(seq) FROM events) AS first,
      (SELECT through FROM cursors WHERE name = ${PROFILES}) AS profiles,
      (SELECT count(*) FROM replays WHERE finished_at IS NULL) AS "openReplays",
      (SELECT count(*) FROM deletions WHERE step <> 'done') AS "openDeletions"`.execute(db)
  return rows[0]!
}

async function behind(db: Connection, { first, last }: Counts, through: number): Promise<Behind> {
  const { rows } = await sql<{ readonly received_at: number }>`
    SELECT received_at FROM events WHERE seq > ${through} ORDER BY seq LIMIT 1`.execute(db)
  const oldestAt = rows[0]?.received_at ?? null
  const events = Math.max(0, last - Math.max(through, (first ?? 0) - 1))
  return { events: oldestAt === null ? 0 : events, oldestAt }
}
