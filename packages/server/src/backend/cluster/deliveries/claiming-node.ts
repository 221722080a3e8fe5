import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../util/time/clock.ts'
import { sleep } from '../../../util/time/sleep.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { unlessUnavailable } from '../postgres/unavailable.ts'

interface ClaimingNodeOptions {
  readonly postgres: Postgres
  readonly clock: Clock
  /** How long claims last without renewal. Defaults to 20 s. */
  readonly leaseMs?: number | undefined
  readonly schema: number
}

const LEASE_MS = 20_000
/** The number of renewals within the duration of a lease. */
const RENEWALS = 4

/**
 * This node as the holder of claims. One row is the lease on all of them, timed by the database clock:
 *
 *     open ─▶ alive ─ renewed every quarter ─▶ alive
 *              ├─ disposed ─▶ its claims end immediately
 *              └─ not renewed in time ─▶ other nodes may claim its parts
 *
 * A node that was suspended keeps the claims that no other node has taken.
 */
export class ClaimingNode implements AsyncDisposable {
  readonly id = randomUUID()
  readonly #postgres: Postgres
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #schema: number
  readonly #stop = new AbortController()
  #aliveUntil = -Infinity
  #running: Promise<void> | undefined

  private constructor({ postgres, clock, leaseMs = LEASE_MS, schema }: ClaimingNodeOptions) {
    this.#postgres = postgres
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#schema = schema
  }

  static async open(options: ClaimingNodeOptions): Promise<ClaimingNode> {
    const node = new ClaimingNode(options)
    await node.#renew()
    node.#running = node.#renewRepeatedly()
    return node
  }

  /** Resolves when the lease is valid. */
  async whenAlive(): Promise<void> {
    if (this.#clock.now() >= this.#aliveUntil) await this.#renew()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    // Without the database, the lease expires.
    await unlessUnavailable(
      this.#postgres.run(sql`DELETE FROM claiming_nodes WHERE id = ${this.id}`),
    )
  }

  async #renewRepeatedly(): Promise<void> {
    const { signal } = this.#stop
    for (;;) {
      await sleep(this.#clock, this.#leaseMs / RENEWALS, signal)
      if (signal.aborted) return
      await unlessUnavailable(this.#renew())
    }
  }

  /** Also removes nodes that expired more than a day ago. */
  async #renew(): Promise<void> {
    const startedAt = this.#clock.now()
    await this.#postgres.run(sql`
      WITH gone AS (DELETE FROM claiming_nodes WHERE until < clock_timestamp() - interval '1 day' AND id <> ${this.id})
      INSERT INTO claiming_nodes (id, until, schema)
      VALUES (${this.id}, clock_timestamp() + ${this.#leaseMs} * interval '1 millisecond', ${this.#schema})
      ON CONFLICT (id) DO UPDATE SET until = excluded.until`)
    this.#aliveUntil = startedAt + this.#leaseMs
  }
}
