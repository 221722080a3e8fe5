import { sql } from 'kysely'
import type {
  Backlog,
  FoundDamage,
  Inventory,
  Missing,
  Removal,
  RemovalSlice,
  Upkeep,
} from '../../upkeep.ts'
import { systemClock } from '../../../util/time/clock.ts'
import { forgetPurges } from '../../store/purged-users.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { PostgresTx } from '../postgres/postgres-store.ts'
import { inventoryOf } from './inventory.ts'
import type { ReadLogState } from './log-state.ts'
import { Partitions } from './partitions.ts'
import { removeOthers } from './remove-others.ts'
import { Retention } from './retention.ts'
import { Tallies } from './tallies.ts'

/** Days for which the start makes partitions, and the walk of retention. */
const AHEAD_AT_START = 1
const AHEAD = 7

/** Counts and sizes of the database, its partitions, and the removal of old data. */
export class PostgresUpkeep implements Upkeep {
  readonly #postgres: Postgres
  readonly #log: ReadLogState
  readonly #tallies: Tallies
  readonly #partitions: Partitions
  readonly #retention: Retention

  private constructor(postgres: Postgres, log: ReadLogState) {
    this.#postgres = postgres
    this.#log = log
    this.#tallies = new Tallies(postgres)
    this.#partitions = new Partitions(postgres)
    const [tallies, partitions] = [this.#tallies, this.#partitions]
    this.#retention = new Retention({ postgres, log, tallies, partitions })
  }

  /** Makes the partitions that events of today and tomorrow need. */
  static async open(postgres: Postgres, log: ReadLogState): Promise<PostgresUpkeep> {
    const upkeep = new PostgresUpkeep(postgres, log)
    await upkeep.#partitions.makeAhead(AHEAD_AT_START)
    return upkeep
  }

  async backlog(): Promise<Backlog> {
    const [{ waiting }, [row]] = await Promise.all([
      this.#tallies.read(),
      this.#postgres.run(sql<{ readonly oldest: number | null; readonly quarantined: number }>`
        SELECT (SELECT min(first_due_at) FROM deliveries WHERE state = 'pending') AS oldest,
          (SELECT count(*) FROM quarantine) AS quarantined`),
    ])
    return {
      waiting,
      oldestPendingAt: row!.oldest ?? undefined,
      quarantined: row!.quarantined,
    }
  }

  /** Counts what was archived or recorded, and was then deleted by something else than retention or a purge. */
  async missing(): Promise<Missing> {
    return (await this.#tallies.read()).missing
  }

  inventory(): Promise<Inventory> {
    return this.#postgres.read((db) => inventoryOf(db, this.#tallies, this.#log))
  }

  /** PostgreSQL finds its own damages, with checksums of its pages, and tells them in its log. */
  async damages(): Promise<readonly FoundDamage[]> {
    return []
  }

  /** Events, decisions, deliveries and attempts: what retention can remove. */
  async usedBytes(): Promise<number> {
    return (await this.#tallies.read()).bytes
  }

  async removeOldest(slice: RemovalSlice): Promise<Removal> {
    if (slice.before !== undefined && slice.cursor === undefined) {
      await this.#partitions.makeAhead(AHEAD)
      await this.#tallies.putTogether()
      await removeOthers(this.#postgres, slice.before)
      const { ackedBefore } = await this.#log()
      await this.#postgres.write((transaction) =>
        forgetPurges(new PostgresTx(transaction), { now: systemClock.wall(), ackedBefore }),
      )
    }
    return this.#retention.removeOldest(slice)
  }
}
