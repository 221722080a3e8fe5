import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../util/time/clock.ts'
import type { Postgres } from '../postgres/postgres.ts'
import { unlessUnavailable } from '../postgres/unavailable.ts'

interface ClaimingNodeOptions {
  readonly postgres: Postgres
  readonly clock: Clock
  /** How long claims last without being renewed. Longer than any attempt. Defaults to 20 s. */
  readonly leaseMs?: number | undefined
  /** The version of the schema that this node knows: none is made meanwhile that it could not bear. */
  readonly schema: number
}

const LEASE_MS = 20_000
/** The lease is renewed so many times while it lasts. */
const TIMES = 4

/**
 * This node, as the holder of its claims. One row of the database is the lease of all of them, by the clock of the database:
 *
 *     open ─▶ alive ─ renewed every quarter ─▶ alive
 *              ├─ disposed ─▶ gone: its claims end at once
 *              └─ not renewed in time ─▶ dead: other nodes may claim what it has, part by part
 *
 * A node that wakes is alive again, with the claims that no other node has taken over.
 */
export class ClaimingNode implements AsyncDisposable {
  readonly id = randomUUID()
  readonly #postgres: Postgres
  readonly #clock: Clock
  readonly #leaseMs: number
  readonly #schema: number
  #isDisposed = false
  #aliveUntil = -Infinity
  #cancel: () => void = () => undefined
  #renewing: Promise<void> | undefined

  private constructor({ postgres, clock, leaseMs = LEASE_MS, schema }: ClaimingNodeOptions) {
    this.#postgres = postgres
    this.#clock = clock
    this.#leaseMs = leaseMs
    this.#schema = schema
  }

  static async open(options: ClaimingNodeOptions): Promise<ClaimingNode> {
    const node = new ClaimingNode(options)
    await node.#renew()
    node.#wait()
    return node
  }

  /** Resolves when what this node claims now lasts. */
  async alive(): Promise<void> {
    if (this.#clock.now() >= this.#aliveUntil) await this.#renew()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    this.#cancel()
    await this.#renewing
    // Without the database, the lease ends by itself.
    await unlessUnavailable(
      this.#postgres.run(sql`DELETE FROM claiming_nodes WHERE id = ${this.id}`),
    )
  }

  #wait(): void {
    if (this.#isDisposed) return
    this.#cancel = this.#clock.after(this.#leaseMs / TIMES, () => {
      this.#renewing = unlessUnavailable(this.#renew()).then(() => this.#wait())
    })
  }

  /** Also removes nodes that are long dead. */
  async #renew(): Promise<void> {
    const askedAt = this.#clock.now()
    await this.#postgres.run(sql`
      WITH gone AS (DELETE FROM claiming_nodes WHERE until < clock_timestamp() - interval '1 day' AND id <> ${this.id})
      INSERT INTO claiming_nodes (id, until, schema)
      VALUES (${this.id}, clock_timestamp() + ${this.#leaseMs} * interval '1 millisecond', ${this.#schema})
      ON CONFLICT (id) DO UPDATE SET until = excluded.until`)
    this.#aliveUntil = askedAt + this.#leaseMs
  }
}
