import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  Backlog,
  Disk,
  FoundCorruption,
  Inventory,
  MissingCounts,
  Removal,
  RemovalSlice,
  Upkeep,
  WaitingDeliveries,
  Lag,
  EventCount,
} from '../../upkeep.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { forgetPurges } from '../../store/purged-users.ts'
import { removeCopies } from '../migrations/migrate.ts'
import { timeOf, timeOrNull } from '../../store/rows.ts'
import { Statements } from '../database/statements.ts'
import type { WriterHost } from '../writer-host.ts'
import { bytesOf, walBytes } from '../database/write-ahead-log.ts'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SEGMENT, segmentOf } from '../../store/event-order.ts'
import { USED_BYTES } from './write-retention.ts'
import { PROFILES_CURSOR } from '../../store/profiles/identities.ts'

export class SqliteUpkeep implements Upkeep {
  readonly #host: WriterHost
  readonly #statements: Statements
  readonly #databaseFile: string

  constructor(host: WriterHost, reader: DatabaseSync, databaseFile: string) {
    this.#host = host
    this.#databaseFile = databaseFile
    this.#statements = new Statements(reader)
  }

  async backlog(): Promise<Backlog> {
    const waiting = this.#statements.all(
      'SELECT destination_id AS destinationId, state, count FROM waiting WHERE count > 0',
      [],
    )
    const oldest = this.#one("SELECT MIN(first_due_at) FROM deliveries WHERE state = 'pending'")
    return {
      waiting: waiting as unknown as WaitingDeliveries[],
      oldestPendingAt: oldest === null ? undefined : Number(oldest),
      quarantined: Number(this.#one('SELECT COUNT(*) FROM quarantine')),
    }
  }

  async missing(): Promise<MissingCounts> {
    const [row] = this.#statements.all('SELECT events, decisions, deliveries FROM missing_rows', [])
    return row as unknown as MissingCounts
  }

  async inventory(): Promise<Inventory> {
    const file = this.#databaseFile
    return {
      databaseBytes: bytesOf(file),
      logBytes: walBytes(file),
      ...this.#statements.inReadTransaction(() => tablesOf(this.#statements)),
    }
  }

  async corruptions(limit: number): Promise<readonly FoundCorruption[]> {
    const rows = this.#statements.all(
      'SELECT found_at, description FROM corruptions ORDER BY found_at DESC, rowid DESC LIMIT ?',
      [limit],
    )
    return rows.map((row) => ({
      foundAt: timeOf(row['found_at']),
      description: String(row['description']),
    }))
  }

  async usedBytes(): Promise<number> {
    return Number(this.#one(USED_BYTES))
  }

  async disk(): Promise<Disk> {
    const { bavail, blocks, bsize } = await statfs(dirname(this.#databaseFile))
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
  }

  async removeOldest({ before, cursor, ...limits }: RemovalSlice): Promise<Removal> {
    if (before !== undefined && cursor === undefined) {
      // Copies of that age contain only data to be removed.
      removeCopies(this.#databaseFile, { madeBefore: before })
      const now = systemClock.wall()
      await this.#host.writer.write(forgetPurges, { now, ackedBefore: Infinity })
    }
    return this.#host.removals.run('removeOldest', {
      before: before ?? null,
      afterSeq: Number(cursor ?? 0),
      ...limits,
    })
  }

  #one(sql: string): SQLOutputValue {
    return Object.values(this.#statements.all(sql, [])[0]!)[0]!
  }
}

const COUNTED_SEGMENTS = 16

function tablesOf(statements: Statements): Omit<Inventory, `${string}Bytes`> {
  const one = (sql: string, values: readonly (string | number)[] = []): number | null => {
    const [row] = statements.all(sql, values)
    return row === undefined ? null : timeOrNull(Object.values(row)[0])
  }
  // One aggregate per SELECT: otherwise SQLite scans the table.
  const first = one('SELECT MIN(seq) FROM events')
  const last = one('SELECT MAX(seq) FROM events')
  const receivedAfter = (seq: number): number | null =>
    one('SELECT received_at FROM events WHERE seq > ? ORDER BY seq LIMIT 1', [seq])
  const lagAfter = (seq: number): Lag => ({
    events: Math.max(0, (last ?? 0) - Math.max(seq, (first ?? 0) - 1)),
    oldestAt: receivedAfter(seq),
  })
  const profiles = one('SELECT through FROM cursors WHERE name = ?', [PROFILES_CURSOR])
  return {
    events: countEvents(statements, first ?? 0, last ?? -1),
    oldestEventAt: receivedAfter(-1),
    undecided: lagAfter(one('SELECT acked FROM log_position') ?? 0),
    notInProfiles: profiles === null ? null : lagAfter(profiles),
    openReplays: one('SELECT COUNT(*) FROM replays WHERE finished_at IS NULL') ?? 0,
    openDeletions: one("SELECT COUNT(*) FROM deletions WHERE step <> 'done'") ?? 0,
  }
}

/** Counts the events. If there are many segments, estimates from a sample, because positions have gaps. */
function countEvents(statements: Statements, first: number, last: number): EventCount {
  const [from, to] = [segmentOf(first), segmentOf(last)]
  const sampled = Array.from({ length: COUNTED_SEGMENTS }, (_, index) =>
    Math.round(from + (index * (to - from)) / (COUNTED_SEGMENTS - 1)),
  )
  const counts = statements
    .all(
      `SELECT ${SEGMENT} AS segment, COUNT(*) AS count FROM events
       WHERE ${SEGMENT} IN (SELECT value FROM json_each(?)) GROUP BY 1 ORDER BY 1`,
      [JSON.stringify(sampled)],
    )
    .map(({ count }) => Number(count))
  const sum = counts.reduce((all, count) => all + count, 0)
  const others = to - from + 1 - COUNTED_SEGMENTS
  if (others <= 0) return { count: sum, isExact: true }
  // The first and the last segment may not be full.
  const full = sum - counts[0]! - counts.at(-1)!
  return { count: Math.round(sum + (others * full) / (COUNTED_SEGMENTS - 2)), isExact: false }
}
