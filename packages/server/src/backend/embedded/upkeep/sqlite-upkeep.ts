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
} from '../../upkeep.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { forgetPurges } from '../../store/purged-users.ts'
import { removeCopies } from '../migrations/migrate.ts'
import { timeOf } from '../../store/rows.ts'
import { Statements } from '../database/statements.ts'
import type { WriterHost } from '../writer-host.ts'
import { inventoryOf } from './inventory.ts'

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
