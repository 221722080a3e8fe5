import { type RawBuilder, sql } from 'kysely'
import { BackendUnavailableError } from '../../backend.ts'
import type { QueueName } from '../../store/stored-parts.ts'
import { arrays } from '../postgres/arrays.ts'
import type { Postgres } from '../postgres/postgres.ts'

/**
 * This node's claim on the part of a delivery in one lane. Each new claim of a part has a greater
 * `fence`.
 */
export interface OwnClaim {
  readonly id: string
  readonly lane: number
  readonly fence: number
}

interface Claimer {
  readonly queue: QueueName
  readonly node: string
}

/** The claims of this node in one queue. Claims whose response was lost would last as long as the node: `endUnknown` ends them. */
export class NodeClaims {
  readonly #postgres: Postgres
  readonly #claimer: Claimer
  /** Current claims, by delivery. */
  readonly #byId = new Map<string, readonly OwnClaim[]>()
  /** Running statements that may claim. */
  readonly #claiming = new Set<Promise<unknown>>()
  #isUnsure = false

  constructor(postgres: Postgres, claimer: Claimer) {
    this.#postgres = postgres
    this.#claimer = claimer
  }

  of(ids: Iterable<string>, lane?: number): readonly OwnClaim[] {
    const claims: OwnClaim[] = []
    for (const id of ids)
      for (const claim of this.#byId.get(id) ?? [])
        if (lane === undefined || claim.lane === lane) claims.push(claim)
    return claims
  }

  /** Runs a claiming statement. `claimed` extracts the new claims from its rows; the statement ends the claims in `before`. */
  async run<Row>(
    statement: RawBuilder<Row>,
    claimed: (rows: readonly Row[]) => readonly OwnClaim[],
    before: readonly OwnClaim[] = [],
  ): Promise<readonly Row[]> {
    const running = this.#postgres.run(statement).then((rows) => {
      this.#forget(before)
      this.#keep(claimed(rows))
      return rows
    })
    this.#claiming.add(running)
    try {
      return await running
    } catch (error) {
      this.#isUnsure = true
      throw error
    } finally {
      this.#claiming.delete(running)
    }
  }

  /** Ends claims. If the database is unavailable, they end once it is back. */
  async end(ended: readonly OwnClaim[]): Promise<void> {
    if (ended.length === 0) return
    this.#forget(ended)
    try {
      await this.#postgres.run(sql`
        WITH held AS MATERIALIZED (${claimRows(ended)})
        UPDATE waiting_parts AS waits SET claimed_by = NULL FROM held WHERE ${isStillClaimed(this.#claimer.node)}`)
    } catch (error) {
      if (!(error instanceof BackendUnavailableError)) throw error
      this.#isUnsure = true
    }
  }

  /** Returns the deliveries whose claims are still valid in the database, and drops the other claims. */
  async stillClaimed(claims: readonly OwnClaim[]): Promise<readonly string[]> {
    if (claims.length === 0) return []
    const rows = await this.#postgres.run(sql<{ readonly id: string }>`
      WITH held AS MATERIALIZED (${claimRows(claims)})
      SELECT waits.delivery_id AS id FROM waiting_parts AS waits JOIN held ON ${isStillClaimed(this.#claimer.node)}`)
    const ids = new Set(rows.map(({ id }) => id))
    this.#forget(claims.filter(({ id }) => !ids.has(id)))
    return [...ids]
  }

  /**
   * Ends claims whose response was lost. Statements that begin in the meantime get a greater fence.
   */
  async endUnknown(): Promise<void> {
    if (!this.#isUnsure) return
    this.#isUnsure = false
    try {
      const rows = await this.#postgres.run(
        sql<{ readonly fence: number }>`SELECT nextval('fences') AS fence`,
      )
      await Promise.allSettled(this.#claiming)
      await this.#endAllBut([...this.#byId.values()].flat(), rows[0]!.fence)
    } catch (error) {
      this.#isUnsure = true
      throw error
    }
  }

  #keep(claims: readonly OwnClaim[]): void {
    for (const claim of claims) {
      const others = (this.#byId.get(claim.id) ?? []).filter(({ lane }) => lane !== claim.lane)
      this.#byId.set(claim.id, [...others, claim])
    }
  }

  /** Keeps later claims of the same parts. */
  #forget(claims: readonly OwnClaim[]): void {
    for (const { id, lane, fence } of claims) {
      const remaining = (this.#byId.get(id) ?? []).filter(
        (each) => each.lane !== lane || each.fence !== fence,
      )
      if (remaining.length === 0) this.#byId.delete(id)
      else this.#byId.set(id, remaining)
    }
  }

  async #endAllBut(known: readonly OwnClaim[], lastFence: number): Promise<void> {
    const { queue, node } = this.#claimer
    await this.#postgres.run(sql`
      WITH held AS MATERIALIZED (${claimRows(known)})
      UPDATE waiting_parts AS waits SET claimed_by = NULL
      WHERE waits.queue = ${queue} AND waits.claimed_by = ${node} AND waits.fence <= ${lastFence}
        AND NOT EXISTS (SELECT 1 FROM held WHERE ${isStillClaimed(node)})`)
  }
}

/** The condition that a claim `held` is still valid for a row `waits` of `waiting_parts`. */
export function isStillClaimed(node: string): RawBuilder<boolean> {
  return sql<boolean>`waits.delivery_id = held.delivery_id AND waits.lane = held.lane
    AND waits.fence = held.fence AND waits.claimed_by = ${node}`
}

export function claimRows(claims: readonly OwnClaim[]): RawBuilder<unknown> {
  const [ids, lanes] = [claims.map(({ id }) => id), claims.map(({ lane }) => lane)]
  const fences = claims.map(({ fence }) => fence)
  return sql`SELECT * FROM unnest(${arrays.texts(ids)}, ${arrays.ints(lanes)}, ${arrays.bigints(fences)}) AS held (delivery_id, lane, fence)`
}
