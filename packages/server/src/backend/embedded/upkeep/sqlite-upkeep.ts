import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  Backlog,
  FoundDamage,
  Inventory,
  Missing,
  Removal,
  RemovalSlice,
  Upkeep,
  WaitingDeliveries,
  Behind,
  EventCount,
} from '../../upkeep.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { forgetPurges } from '../../store/purged-users.ts'
import { removeCopies } from '../migrations/migrate.ts'
import { timeOf, timeOrNull } from '../../store/rows.ts'
import { Statements } from '../database/statements.ts'
import type { WriterHost } from '../writer-host.ts'
import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SEGMENT, segmentOf } from '../../store/event-order.ts'
import { PROFILES_CURSOR } from '../../store/profiles/identities.ts'

/** Counts and sizes of the database, and the removal of old data. */
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
    const rows = this.#statements.all(
      'SELECT destination_id AS destinationId, state, count FROM waiting WHERE count > 0',
      [],
    )
    const oldest = this.#one("SELECT MIN(first_due_at) FROM deliveries WHERE state = 'pending'")
    return {
      waiting: rows.map((row) => ({ ...row }) as unknown as WaitingDeliveries),
      oldestPendingAt: oldest === null ? undefined : Number(oldest),
      quarantined: Number(this.#one('SELECT COUNT(*) FROM quarantine')),
    }
  }

  async missing(): Promise<Missing> {
    const [row] = this.#statements.all('SELECT events, decisions, deliveries FROM missing_rows', [])
    return { ...(row as unknown as Missing) }
  }

  inventory(): Promise<Inventory> {
    return inventoryOf(this.#statements, this.#databaseFile)
  }

  async damages(limit: number): Promise<readonly FoundDamage[]> {
    const rows = this.#statements.all(
      'SELECT found_at, description FROM damages ORDER BY found_at DESC, rowid DESC LIMIT ?',
      [limit],
    )
    return rows.map((row) => ({
      foundAt: timeOf(row['found_at']),
      description: String(row['description']),
    }))
  }

  async usedBytes(): Promise<number> {
    const [pages, free, pageBytes] = ['page_count', 'freelist_count', 'page_size'].map((pragma) =>
      Number(this.#one(`PRAGMA ${pragma}`)),
    )
    return (pages! - free!) * pageBytes!
  }

  async removeOldest({ before, cursor, ...limits }: RemovalSlice): Promise<Removal> {
    if (before !== undefined && cursor === undefined) {
      // Everything in a copy of that age is old enough to be removed.
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

/** Segments in which events are counted: some thousand index entries, a few milliseconds of work. */
const COUNTED_SEGMENTS = 16

/** What is stored, and what is not worked off: from counts, and from the ends of tables. */
async function inventoryOf(statements: Statements, file: string): Promise<Inventory> {
  const { bavail, bsize } = await statfs(dirname(file))
  const bytes = {
    databaseBytes: bytesOf(file),
    logBytes: bytesOf(`${file}-wal`),
    freeBytes: bavail * bsize,
  }
  return { ...bytes, ...statements.together(() => tablesOf(statements)) }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function tablesOf(statements: Statements): Omit<Inventory, `${string}Bytes`> {
  const one = (sql: string, values: readonly (string | number)[] = []): number | null => {
    const [row] = statements.all(sql, values)
    return row === undefined ? null : timeOrNull(Object.values(row)[0])
  }
  // One aggregate in each SELECT: only then SQLite goes to the end of the table.
  const first = one('SELECT MIN(seq) FROM events')
  const last = one('SELECT MAX(seq) FROM events')
  const receivedAfter = (seq: number): number | null =>
    one('SELECT received_at FROM events WHERE seq > ? ORDER BY seq LIMIT 1', [seq])
  const behind = (seq: number): Behind => ({
    events: Math.max(0, (last ?? 0) - Math.max(seq, (first ?? 0) - 1)),
    oldestAt: receivedAfter(seq),
  })
  const profiles = one('SELECT through FROM cursors WHERE name = ?', [PROFILES_CURSOR])
  return {
    events: first === null || last === null ? NONE : countEvents(statements, first, last),
    oldestEventAt: receivedAfter(-1),
    undecided: behind(one('SELECT acked FROM log_position') ?? 0),
    notInProfiles: profiles === null ? null : behind(profiles),
    openReplays: one('SELECT COUNT(*) FROM replays WHERE finished_at IS NULL') ?? 0,
    openDeletions: one("SELECT COUNT(*) FROM deletions WHERE step <> 'done'") ?? 0,
  }
}

const NONE: EventCount = { count: 0, isExact: true }

/**
 * The number of events. Positions have gaps, where duplicates were dropped and users were deleted. So events are counted in
 * some segments, from the first to the last, and the others are taken to be as full.
 */
function countEvents(statements: Statements, first: number, last: number): EventCount {
  const [from, to] = [segmentOf(first), segmentOf(last)]
  const all = to - from + 1
  const counted = Math.min(all, COUNTED_SEGMENTS)
  const segments = Array.from({ length: counted }, (_, index) =>
    counted === 1 ? from : from + Math.round((index * (to - from)) / (counted - 1)),
  )
  const rows = statements.all(
    `SELECT ${SEGMENT} AS segment, COUNT(*) AS count FROM events
     WHERE ${SEGMENT} IN (SELECT value FROM json_each(?)) GROUP BY 1`,
    [JSON.stringify(segments)],
  )
  const sumOf = (isWanted: (segment: number) => boolean): number =>
    rows.reduce(
      (sum, { segment, count }) => sum + (isWanted(Number(segment)) ? Number(count) : 0),
      0,
    )
  if (counted === all) return { count: sumOf(() => true), isExact: true }
  const isEdge = (segment: number): boolean => segment === from || segment === to
  const mean = sumOf((segment) => !isEdge(segment)) / (counted - 2)
  return { count: Math.round(sumOf(isEdge) + mean * (all - 2)), isExact: false }
}
