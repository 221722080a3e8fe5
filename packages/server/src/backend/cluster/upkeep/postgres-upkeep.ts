import { sql } from 'kysely'
import { systemClock } from '../../../util/time/clock.ts'
import { forgetPurges } from '../../store/purged-users.ts'
import type { Inventory, Upkeep, WaitingDeliveries } from '../../upkeep.ts'
import type { JetStreamLog } from '../jetstream/jetstream-log.ts'
import { tryLock } from '../postgres/locks.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import { createFuturePartitions } from './partitions.ts'
import { removeOldest } from './retention.ts'

/** How many days ahead partitions are created: at startup, and by retention. */
const AHEAD_AT_START = 1
const AHEAD = 7

/** Creates the partitions from yesterday to tomorrow, and opens the upkeep of the database. */
export async function openUpkeep(
  postgres: Postgres,
  log: Pick<JetStreamLog, 'state' | 'lostMessages'>,
): Promise<Upkeep> {
  await createFuturePartitions(postgres, AHEAD_AT_START)
  return {
    backlog: async () => {
      const [{ waiting }, [row]] = await Promise.all([
        readTotals(postgres),
        postgres.run(sql<{ readonly oldest: number | null; readonly quarantined: number }>`
          SELECT (SELECT min(first_due_at) FROM deliveries WHERE state = 'pending') AS oldest,
            (SELECT count(*) FROM quarantine) AS quarantined`),
      ])
      const { oldest, quarantined } = row!
      return { waiting, oldestPendingAt: oldest ?? undefined, quarantined }
    },
    missing: async () => ({
      ...(await readTotals(postgres)).missing,
      messages: log.lostMessages,
    }),
    inventory: async () => {
      const [counts, { events }, { undecided, bytes: logBytes }] = await Promise.all([
        postgres.read(readCounts),
        readTotals(postgres),
        log.state(),
      ])
      return {
        ...counts,
        logBytes,
        events: { count: events, isExact: true },
        undecided,
      }
    },
    // PostgreSQL detects corruption by page checksums, and reports it in its log.
    corruptions: async () => [],
    usedBytes: async () => (await readTotals(postgres)).bytes,
    disk: async () => null,
    removeOldest: async (slice) => {
      if (slice.before !== undefined && slice.cursor === undefined) {
        await createFuturePartitions(postgres, AHEAD)
        await mergeTallies(postgres)
        await removeOthers(postgres, slice.before)
        const { ackedBefore } = await log.state()
        await postgres.write((transaction) =>
          forgetPurges(new PostgresTx(transaction), { now: systemClock.wall(), ackedBefore }),
        )
      }
      return removeOldest({ postgres, log: () => log.state() }, slice)
    },
  }
}

interface Sum {
  readonly kind: string
  readonly of: string
  readonly rows: number
  readonly bytes: number
  readonly parts: number
}

/** If there are more tallies, a read merges them. */
const MAX_TALLIES = 2_000
const MAX_MERGED = 20_000

/** Sums up `tallies`, which every statement adds to (postgres/schema.sql). */
async function readTotals(postgres: Postgres) {
  const sums = await postgres.run(sql<Sum>`
    SELECT kind, of, sum(rows)::bigint AS rows, sum(bytes)::bigint AS bytes, count(*) AS parts
    FROM tallies GROUP BY kind, of ORDER BY of, kind`)
  if (sums.reduce((all, { parts }) => all + parts, 0) > MAX_TALLIES) await mergeTallies(postgres)
  const sumOf = (kind: string, of = ''): number =>
    sums.find((each) => each.kind === kind && each.of === of)?.rows ?? 0
  return {
    waiting: sums.flatMap(({ kind, of, rows }): WaitingDeliveries[] =>
      (kind === 'pending' || kind === 'held') && rows > 0
        ? [{ destinationId: fromText(of), state: kind, count: rows }]
        : [],
    ),
    missing: {
      events: sumOf('missing', 'events'),
      decisions: sumOf('missing', 'declined'),
      deliveries: sumOf('missing', 'deliveries'),
    },
    events: sumOf('events'),
    bytes: sums.reduce((all, { bytes }) => all + bytes, 0),
  }
}

/** Merges tallies of the same day and kind, unless another node is doing so. */
async function mergeTallies(postgres: Postgres): Promise<void> {
  await postgres.write(async (transaction) => {
    if (!(await tryLock(transaction, 'upkeep'))) return
    await sql`
      WITH removed AS (
        DELETE FROM tallies WHERE ctid = ANY(ARRAY(SELECT ctid FROM tallies LIMIT ${MAX_MERGED}))
        RETURNING *)
      INSERT INTO tallies SELECT day, kind, of, sum(rows), sum(bytes) FROM removed GROUP BY day, kind, of
        HAVING sum(rows) <> 0 OR sum(bytes) <> 0`.execute(transaction)
  })
}

type Counts = Pick<Inventory, 'databaseBytes' | 'oldestEventAt' | 'openReplays' | 'openDeletions'>

/** `through`: the seq that profiles have reached. `oldestAt`: when the next event was received. */
interface ProfileProgress {
  readonly last: number
  readonly first: number | null
  readonly through: number | null
  readonly oldestAt: number | null
}

async function readCounts(db: Connection) {
  const { rows } = await sql<Counts & ProfileProgress>`
    WITH progress AS (SELECT through FROM cursors WHERE name = 'profiles')
    SELECT pg_database_size(current_database()) AS "databaseBytes",
      (SELECT received_at FROM events ORDER BY seq LIMIT 1) AS "oldestEventAt",
      (SELECT seq FROM archive) AS last,
      (SELECT min(seq) FROM events) AS first,
      (SELECT through FROM progress) AS through,
      (SELECT received_at FROM events WHERE seq > (SELECT through FROM progress) ORDER BY seq LIMIT 1) AS "oldestAt",
      (SELECT count(*) FROM replays WHERE finished_at IS NULL) AS "openReplays",
      (SELECT count(*) FROM deletions WHERE step <> 'done') AS "openDeletions"`.execute(db)
  const { last, first, through, oldestAt, ...counts } = rows[0]!
  if (through === null) return { ...counts, notInProfiles: null }
  const events = Math.max(0, last - Math.max(through, (first ?? 0) - 1))
  return { ...counts, notInProfiles: { events: oldestAt === null ? 0 : events, oldestAt } }
}

const SLICE_ROWS = 500

/** Removes old finished replays, and old quarantine items without an event, delivery or notice. */
async function removeOthers(postgres: Postgres, before: number): Promise<void> {
  await postgres.run(sql`
    WITH removed AS (DELETE FROM replays
      WHERE id IN (SELECT id FROM replays WHERE finished_at < ${before} LIMIT ${SLICE_ROWS}) RETURNING id)
    DELETE FROM replay_ends USING removed WHERE replay_id = removed.id`)
  await postgres.run(sql`
    DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ${before}
      AND NOT EXISTS (SELECT FROM events WHERE events.id = quarantine.id)
      AND NOT EXISTS (SELECT FROM deliveries WHERE deliveries.id = quarantine.id)
      AND NOT EXISTS (SELECT FROM notices WHERE notices.id = quarantine.id) LIMIT ${SLICE_ROWS})`)
}
