import { sql } from 'kysely'
import { systemClock } from '../../../util/time/clock.ts'
import { forgetPurges } from '../../store/purged-users.ts'
import type {
  Backlog,
  Behind,
  FoundDamage,
  Inventory,
  Missing,
  Removal,
  RemovalSlice,
  Upkeep,
  WaitingDeliveries,
} from '../../upkeep.ts'
import type { StreamState } from '../jetstream/log-stream.ts'
import { tryLock } from '../postgres/locks.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import type { Connection, Postgres } from '../postgres/postgres.ts'
import { fromText } from '../postgres/text.ts'
import { makeAhead } from './partitions.ts'
import { removeOldest } from './retention.ts'

/** Days for which the start makes partitions, and the walk of retention. */
const AHEAD_AT_START = 1
const AHEAD = 7

/** Counts and sizes of the database, its partitions, and the removal of old data. */
export class PostgresUpkeep implements Upkeep {
  readonly #postgres: Postgres
  readonly #log: () => Promise<StreamState>

  private constructor(postgres: Postgres, log: () => Promise<StreamState>) {
    this.#postgres = postgres
    this.#log = log
  }

  /** Makes the partitions that events of today and tomorrow need. */
  static async open(postgres: Postgres, log: () => Promise<StreamState>): Promise<PostgresUpkeep> {
    await makeAhead(postgres, AHEAD_AT_START)
    return new PostgresUpkeep(postgres, log)
  }

  async backlog(): Promise<Backlog> {
    const [{ waiting }, [row]] = await Promise.all([
      readTotals(this.#postgres),
      this.#postgres.run(sql<{ readonly oldest: number | null; readonly quarantined: number }>`
        SELECT (SELECT min(first_due_at) FROM deliveries WHERE state = 'pending') AS oldest,
          (SELECT count(*) FROM quarantine) AS quarantined`),
    ])
    const { oldest, quarantined } = row!
    return { waiting, oldestPendingAt: oldest ?? undefined, quarantined }
  }

  /** Counts what was archived or recorded, and was then deleted by something else than retention or a purge. */
  async missing(): Promise<Missing> {
    return (await readTotals(this.#postgres)).missing
  }

  /** From tallies, and from the ends of tables. */
  async inventory(): Promise<Inventory> {
    const [counts, { events }, { undecided, bytes: logBytes }] = await Promise.all([
      this.#postgres.read(readCounts),
      readTotals(this.#postgres),
      this.#log(),
    ])
    return {
      ...counts,
      logBytes,
      freeBytes: null,
      events: { count: events, isExact: true },
      undecided,
    }
  }

  /** PostgreSQL finds its own damages, with checksums of its pages, and reports them in its log. */
  async damages(): Promise<readonly FoundDamage[]> {
    return []
  }

  /** Events, decisions, deliveries and attempts: what retention can remove. */
  async usedBytes(): Promise<number> {
    return (await readTotals(this.#postgres)).bytes
  }

  async removeOldest(slice: RemovalSlice): Promise<Removal> {
    const [postgres, log] = [this.#postgres, this.#log]
    if (slice.before !== undefined && slice.cursor === undefined) {
      await makeAhead(postgres, AHEAD)
      await putTogether(postgres)
      await removeOthers(postgres, slice.before)
      const { ackedBefore } = await log()
      await postgres.write((transaction) =>
        forgetPurges(new PostgresTx(transaction), { now: systemClock.wall(), ackedBefore }),
      )
    }
    return removeOldest({ postgres, log }, slice)
  }
}

/** Sums of `tallies`: what is stored and what waits, in numbers that every statement has added to (postgres/schema.sql). */
interface Totals {
  readonly waiting: readonly WaitingDeliveries[]
  readonly missing: Missing
  readonly events: number
  readonly bytes: number
}

interface Sum {
  readonly kind: string
  readonly of: string
  readonly rows: number
  readonly bytes: number
  /** How many rows were added up for it. */
  readonly parts: number
}

/** So many rows are read within a few milliseconds. With more, a reader puts them together. */
const MANY = 2_000
/** Rows that one statement puts together. */
const MAX_TOGETHER = 20_000

async function readTotals(postgres: Postgres): Promise<Totals> {
  const sums = await postgres.run(sql<Sum>`
    SELECT kind, of, sum(rows)::bigint AS rows, sum(bytes)::bigint AS bytes, count(*) AS parts
    FROM tallies GROUP BY kind, of ORDER BY of, kind`)
  if (sums.reduce((all, { parts }) => all + parts, 0) > MANY) await putTogether(postgres)
  const sumOf = (kind: string, of = ''): number =>
    sums.find((each) => each.kind === kind && each.of === of)?.rows ?? 0
  return {
    waiting: sums.flatMap(({ kind, of, rows }) =>
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

/** Puts rows of the same day and kind together. Does nothing where another node does. */
async function putTogether(postgres: Postgres): Promise<void> {
  await postgres.write(async (transaction) => {
    if (!(await tryLock(transaction, 'upkeep'))) return
    await sql`
      WITH taken AS (
        DELETE FROM tallies WHERE ctid = ANY(ARRAY(SELECT ctid FROM tallies LIMIT ${MAX_TOGETHER}))
        RETURNING *)
      INSERT INTO tallies SELECT day, kind, of, sum(rows), sum(bytes) FROM taken GROUP BY day, kind, of
        HAVING sum(rows) <> 0 OR sum(bytes) <> 0`.execute(transaction)
  })
}

type Counts = Pick<Inventory, 'databaseBytes' | 'oldestEventAt' | 'openReplays' | 'openDeletions'>

interface Ends {
  readonly last: number
  readonly first: number | null
  readonly profiles: number | null
}

async function readCounts(db: Connection): Promise<Counts & Pick<Inventory, 'notInProfiles'>> {
  const { rows } = await sql<Counts & Ends>`
    SELECT pg_database_size(current_database()) AS "databaseBytes",
      (SELECT received_at FROM events ORDER BY seq LIMIT 1) AS "oldestEventAt",
      (SELECT seq FROM archive) AS last,
      (SELECT min(seq) FROM events) AS first,
      (SELECT through FROM cursors WHERE name = 'profiles') AS profiles,
      (SELECT count(*) FROM replays WHERE finished_at IS NULL) AS "openReplays",
      (SELECT count(*) FROM deletions WHERE step <> 'done') AS "openDeletions"`.execute(db)
  const { last, first, profiles, ...counts } = rows[0]!
  return { ...counts, notInProfiles: await behind(db, { last, first, profiles }) }
}

async function behind(
  db: Connection,
  { first, last, profiles: through }: Ends,
): Promise<Behind | null> {
  if (through === null) return null
  const { rows } = await sql<{ readonly received_at: number }>`
    SELECT received_at FROM events WHERE seq > ${through} ORDER BY seq LIMIT 1`.execute(db)
  const oldestAt = rows[0]?.received_at ?? null
  const events = Math.max(0, last - Math.max(through, (first ?? 0) - 1))
  return { events: oldestAt === null ? 0 : events, oldestAt }
}

/** Rows of each table that one call removes. */
const SOME = 500

/** Removes finished replays, and quarantine items whose event, delivery or notice is gone. */
async function removeOthers(postgres: Postgres, before: number): Promise<void> {
  await postgres.run(sql`
    WITH gone AS (DELETE FROM replays
      WHERE id IN (SELECT id FROM replays WHERE finished_at < ${before} LIMIT ${SOME}) RETURNING id)
    DELETE FROM replay_ends USING gone WHERE replay_id = gone.id`)
  await postgres.run(sql`
    DELETE FROM quarantine WHERE id IN (SELECT id FROM quarantine WHERE at < ${before}
      AND NOT EXISTS (SELECT FROM events WHERE events.id = quarantine.id)
      AND NOT EXISTS (SELECT FROM deliveries WHERE deliveries.id = quarantine.id)
      AND NOT EXISTS (SELECT FROM notices WHERE notices.id = quarantine.id) LIMIT ${SOME})`)
}
