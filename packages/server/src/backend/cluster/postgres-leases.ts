import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../util/time/clock.ts'
import { pause } from '../../util/time/pause.ts'
import { BackendUnavailable } from '../backend.ts'
import type { Lease, LeaseName, Leases } from '../nodes.ts'
import type { Postgres } from './postgres/postgres.ts'
import { unlessUnavailable } from './postgres/unavailable.ts'

interface PostgresLeasesOptions {
  readonly postgres: Postgres
  readonly clock: Clock
  /** How long a lease lasts without being renewed. Defaults to 20 s: whoever waits asks every 5 s. */
  readonly leaseMs?: number
}

const LEASE_MS = 20_000
/** A lease is renewed, and asked for, so many times while it lasts. */
const TIMES = 4

/**
 * Leases as rows of a table, by the clock of the database, so that the clocks of nodes do not matter:
 *
 *     free ─ acquire ─▶ held ─ renewed every quarter ─▶ held
 *                        ├─ disposed ─▶ free
 *                        └─ not renewed in time ─▶ lost: whoever asks next has it, with a greater fence
 */
export class PostgresLeases implements Leases {
  readonly #postgres: Postgres
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #node = randomUUID()
  readonly #shared = new Map<LeaseName, SharedLease>()

  constructor({ postgres, clock, leaseMs = LEASE_MS }: PostgresLeasesOptions) {
    this.#postgres = postgres
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  async acquire(name: LeaseName, signal: AbortSignal): Promise<Lease | undefined> {
    let shared = this.#shared.get(name)
    if (shared === undefined || shared.isLost) {
      shared = new SharedLease((stop) => this.#acquire(name, stop))
      this.#shared.set(name, shared)
    }
    return shared.join(signal)
  }

  async #acquire(name: LeaseName, signal: AbortSignal): Promise<HeldLease | undefined> {
    while (!signal.aborted) {
      const askedAt = this.#clock.now()
      const fence = await this.#take(name)
      if (fence !== undefined) return this.#held(name, fence, askedAt)
      await pause(this.#clock, this.#leaseMs / TIMES, signal)
    }
    return undefined
  }

  /** The fence, where the lease was free. */
  async #take(name: LeaseName): Promise<number | undefined> {
    const [row] = await this.#postgres.run(sql<{ readonly fence: number }>`
      INSERT INTO leases AS kept VALUES (${name}, ${this.#node}, 1, ${this.#end})
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, fence = kept.fence + 1, until = excluded.until
        WHERE kept.until < clock_timestamp()
      RETURNING fence`)
    return row?.fence
  }

  #held(name: LeaseName, fence: number, askedAt: number): HeldLease {
    return new HeldLease({
      clock: this.#clock,
      leaseMs: this.#leaseMs,
      askedAt,
      renew: () => this.#renew(name, fence),
      giveUp: () => this.#giveUp(name, fence),
    })
  }

  /** Whether this node still has it; `undefined` where the database cannot say. */
  async #renew(name: LeaseName, fence: number): Promise<boolean | undefined> {
    try {
      const rows = await this.#postgres.run(sql`
        UPDATE leases SET until = ${this.#end}
        WHERE name = ${name} AND holder = ${this.#node} AND fence = ${fence} AND until >= clock_timestamp()
        RETURNING name`)
      return rows.length > 0
    } catch (error) {
      if (error instanceof BackendUnavailable) return undefined
      throw error
    }
  }

  async #giveUp(name: LeaseName, fence: number): Promise<void> {
    // The row stays, so that the fence goes on growing. Without the database, the lease ends by itself.
    await unlessUnavailable(
      this.#postgres.run(sql`
        UPDATE leases SET until = '-infinity' WHERE name = ${name} AND holder = ${this.#node} AND fence = ${fence}`),
    )
  }

  get #end() {
    return sql`clock_timestamp() + ${this.#leaseMs} * interval '1 millisecond'`
  }
}

/**
 * A lease that workers of this node share. The node acquires it for the first of them, and gives it up after the last one.
 */
class SharedLease {
  readonly #stop = new AbortController()
  readonly #lease: Promise<Lease | undefined>
  #users = 0
  #isOver = false

  /** @param acquire resolves to `undefined` when the signal aborts first */
  constructor(acquire: (signal: AbortSignal) => Promise<Lease | undefined>) {
    this.#lease = acquire(this.#stop.signal)
    this.#lease.then(
      (lease) => lease?.lost.addEventListener('abort', () => (this.#isOver = true)),
      () => (this.#isOver = true),
    )
  }

  /** It was lost, given up, or could not be acquired: the next worker acquires it again. */
  get isLost(): boolean {
    return this.#isOver
  }

  /** Resolves when the node has it, or to `undefined` when `signal` aborts first. */
  async join(signal: AbortSignal): Promise<Lease | undefined> {
    this.#users++
    let leaving: Promise<void> | undefined
    const leave = (): Promise<void> => (leaving ??= this.#leave())
    try {
      const lease = await Promise.race([this.#lease, abortOf(signal)])
      if (lease !== undefined) return { lost: lease.lost, [Symbol.asyncDispose]: leave }
    } catch (error) {
      await leave()
      throw error
    }
    await leave()
    return undefined
  }

  async #leave(): Promise<void> {
    if (--this.#users > 0) return
    this.#isOver = true
    this.#stop.abort()
    const lease = await this.#lease.catch(() => undefined)
    await lease?.[Symbol.asyncDispose]()
  }
}

function abortOf(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return promise
}

interface HeldLeaseOptions {
  readonly clock: Clock
  readonly leaseMs: number
  /** When it was asked for: it lasts at least from then on. */
  readonly askedAt: number
  /** Whether this node still has it; `undefined` where nothing can say so now. */
  readonly renew: () => Promise<boolean | undefined>
  readonly giveUp: () => Promise<void>
}

/** A lease that renews itself until it is disposed of, or lost. */
class HeldLease implements Lease {
  readonly #options: HeldLeaseOptions
  readonly #lost = new AbortController()
  #validUntil: number
  #cancel: () => void = () => undefined
  #renewing: Promise<void> | undefined

  constructor(options: HeldLeaseOptions) {
    this.#options = options
    this.#validUntil = options.askedAt + options.leaseMs
    this.#wait()
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lose()
    await this.#renewing
    await this.#options.giveUp()
  }

  #wait(): void {
    const { clock, leaseMs } = this.#options
    this.#cancel = clock.after(leaseMs / TIMES, () => {
      this.#renewing = this.#renewOnce()
    })
  }

  async #renewOnce(): Promise<void> {
    const { clock, leaseMs, renew } = this.#options
    const askedAt = clock.now()
    // A node that slept: whatever the database says, another node may have had it meanwhile.
    if (askedAt >= this.#validUntil) return this.#lose()
    const isHeld = await renew().catch(() => false)
    if (this.#lost.signal.aborted) return
    if (isHeld === true) this.#validUntil = askedAt + leaseMs
    if (isHeld === false || clock.now() >= this.#validUntil) return this.#lose()
    this.#wait()
  }

  #lose(): void {
    this.#cancel()
    this.#lost.abort()
  }
}
