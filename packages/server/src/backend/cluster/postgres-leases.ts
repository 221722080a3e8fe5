import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { sql } from 'kysely'
import type { Clock } from '../../util/time/clock.ts'
import { sleep } from '../../util/time/sleep.ts'
import { BackendUnavailableError } from '../backend.ts'
import type { Lease, LeaseName, Leases } from '../nodes.ts'
import type { Postgres } from './postgres/postgres.ts'
import { unlessUnavailable } from './postgres/unavailable.ts'

interface PostgresLeasesOptions {
  readonly postgres: Postgres
  readonly clock: Clock
  /** How long a lease lasts without renewal. Defaults to 20 s. */
  readonly leaseMs?: number
}

const LEASE_MS = 20_000
/** The number of renewals, or of attempts to acquire a lease, within the duration of a lease. */
const TRIES = 4

/**
 * Leases as rows in a table. They use the database's clock, so the nodes' clocks do not matter:
 *
 *     free ─ acquire ─▶ held ─ renewed every quarter ─▶ held
 *                        ├─ disposed ─▶ free
 *                        └─ not renewed in time ─▶ lost: the next node to try acquires it, with a greater fence
 */
export class PostgresLeases implements Leases {
  readonly #options: Required<PostgresLeasesOptions>
  readonly #leases = new Map<LeaseName, SharedLease>()

  constructor(options: PostgresLeasesOptions) {
    this.#options = { leaseMs: LEASE_MS, ...options }
  }

  async acquire(name: LeaseName, signal: AbortSignal): Promise<Lease | undefined> {
    let lease = this.#leases.get(name)
    if (lease === undefined || lease.isOver) {
      lease = new SharedLease(name, this.#options)
      this.#leases.set(name, lease)
    }
    return lease.join(signal)
  }
}

/** A lease that workers of this node share: acquired for the first of them, then renewed, and released after the last one. */
class SharedLease {
  readonly #name: LeaseName
  readonly #options: Required<PostgresLeasesOptions>
  readonly #holder = randomUUID()
  /** Aborts when the lease is lost or released, or cannot be acquired. */
  readonly #ended = new AbortController()
  /** `undefined` if the last worker left first. */
  readonly #fence: Promise<number | undefined>
  readonly #renewing: Promise<void>
  #users = 0
  #validUntil = 0

  constructor(name: LeaseName, options: Required<PostgresLeasesOptions>) {
    this.#name = name
    this.#options = options
    this.#fence = this.#acquire()
    this.#renewing = this.#renewUntilOver()
  }

  get isOver(): boolean {
    return this.#ended.signal.aborted
  }

  async join(signal: AbortSignal): Promise<Lease | undefined> {
    this.#users++
    let leaving: Promise<void> | undefined
    const leave = (): Promise<void> => (leaving ??= this.#leave())
    try {
      const fence = signal.aborted
        ? undefined
        : await Promise.race([this.#fence, once(signal, 'abort').then(() => undefined)])
      if (fence !== undefined) return { lost: this.#ended.signal, [Symbol.asyncDispose]: leave }
    } catch (error) {
      await leave()
      throw error
    }
    await leave()
    return undefined
  }

  async #acquire(): Promise<number | undefined> {
    const { postgres, clock, leaseMs } = this.#options
    while (!this.isOver) {
      this.#validUntil = clock.now() + leaseMs
      const [row] = await postgres.run(sql<{ readonly fence: number }>`
        INSERT INTO leases AS kept VALUES (${this.#name}, ${this.#holder}, 1, ${this.#end})
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = kept.fence + 1, until = excluded.until
          WHERE kept.until < clock_timestamp()
        RETURNING fence`)
      if (row !== undefined) return row.fence
      await sleep(clock, leaseMs / TRIES, this.#ended.signal)
    }
    return undefined
  }

  async #renewUntilOver(): Promise<void> {
    const { clock, leaseMs } = this.#options
    const fence = await this.#fence.catch(() => undefined)
    if (fence !== undefined)
      do await sleep(clock, leaseMs / TRIES, this.#ended.signal)
      while (await this.#renew(fence))
    this.#ended.abort()
  }

  /**
   * Returns false once the lease is lost. If the database is unavailable, the lease lasts until it
   * expires.
   */
  async #renew(fence: number): Promise<boolean> {
    const { postgres, clock, leaseMs } = this.#options
    // While this node was suspended, another node may have held the lease.
    if (this.isOver || clock.now() >= this.#validUntil) return false
    const validUntil = clock.now() + leaseMs
    try {
      const rows = await postgres.run(sql`
        UPDATE leases SET until = ${this.#end}
        WHERE name = ${this.#name} AND holder = ${this.#holder} AND fence = ${fence} AND until >= clock_timestamp()
        RETURNING name`)
      if (rows.length === 0) return false
      this.#validUntil = validUntil
    } catch (error) {
      if (!(error instanceof BackendUnavailableError)) return false
    }
    return clock.now() < this.#validUntil
  }

  async #leave(): Promise<void> {
    if (--this.#users > 0) return
    this.#ended.abort()
    await this.#renewing
    const fence = await this.#fence.catch(() => undefined)
    if (fence === undefined) return
    // The row is kept, so that the fence keeps growing. Without the database, the lease expires.
    await unlessUnavailable(
      this.#options.postgres.run(sql`
        UPDATE leases SET until = '-infinity' WHERE name = ${this.#name} AND holder = ${this.#holder} AND fence = ${fence}`),
    )
  }

  get #end() {
    return sql`clock_timestamp() + ${this.#options.leaseMs} * interval '1 millisecond'`
  }
}
