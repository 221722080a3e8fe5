import type { Delivery } from '@hookline/protocol'
import { type LaneId, laneKey } from '../../../../packages/server/src/backend/deliveries.ts'

export interface LaneReadiness {
  readonly lane: string
  /**
   * Whether an attempt may begin: the process runs, the backend is available, the destination is enabled, the webhook is not
   * blocked, its lane has no attempt in flight, and a slot is free.
   */
  readonly isReady: boolean
  /** Whether the webhook or its destination is paused, and parts can be held. Otherwise like `isReady`. */
  readonly isPaused: boolean
  /** The number of attempts so far. */
  readonly begun: number
}

/**
 * How long a lane may be idle while a delivery is due and may be attempted. Timers and events must wake the feed by then. It also
 * polls every 15 s, but a lane that depends on that has missed a wake-up.
 */
const MAX_IDLE_MS = 2_000

/**
 * Checks each webhook separately: a due part is attempted as soon as possible, regardless of the other webhooks of its
 * destination, and pending parts of a paused webhook are held.
 */
export class ProgressInvariants {
  readonly #onViolation: (violation: string) => void
  readonly #beganAt: number
  /** By lane: the due time of each delivery. */
  readonly #dueAt = new Map<string, Map<string, number>>()
  /** The URLs of the pending parts of each delivery. */
  readonly #urls = new Map<string, readonly string[]>()
  readonly #readySince = new Map<string, number>()
  readonly #pausedSince = new Map<string, number>()
  readonly #begun = new Map<string, number>()

  /** @param beganAt when the simulation started */
  constructor(onViolation: (violation: string) => void, beganAt: number) {
    this.#onViolation = onViolation
    this.#beganAt = beganAt
  }

  recorded({ id, destinationId, webhooks }: Delivery): void {
    for (const url of this.#urls.get(id) ?? []) this.#of({ destinationId, url }).delete(id)
    const pending = webhooks.filter(({ dueAt }) => dueAt !== null)
    for (const { url, dueAt } of pending) this.#of({ destinationId, url }).set(id, dueAt!)
    this.#urls.set(
      id,
      pending.map(({ url }) => url),
    )
  }

  check(now: number, lane: LaneReadiness): void {
    this.#checkPaused(now, lane)
    this.#checkReady(now, lane)
  }

  #checkReady(now: number, { lane, isReady, begun }: LaneReadiness): void {
    const hasBegun = this.#begun.get(lane) !== begun
    this.#begun.set(lane, begun)
    const since = this.#readySince.get(lane) ?? now
    const dueSince = isReady && !hasBegun ? this.#firstDue(lane) : Infinity
    if (dueSince > now) {
      this.#readySince.delete(lane)
      return
    }
    this.#readySince.set(lane, since)
    const idleMs = now - Math.max(since, dueSince)
    if (idleMs > MAX_IDLE_MS) {
      this.#onViolation(
        `${lane}: idle for ${idleMs} ms although deliveries were due, ${now - this.#beganAt} ms after the start`,
      )
      this.#readySince.set(lane, now)
    }
  }

  /** Deliveries that are due later must also be held. */
  #checkPaused(now: number, { lane, isPaused }: LaneReadiness): void {
    const hasPending = isPaused && (this.#dueAt.get(lane)?.size ?? 0) > 0
    const since = this.#pausedSince.get(lane) ?? now
    if (!hasPending) this.#pausedSince.delete(lane)
    else this.#pausedSince.set(lane, since)
    if (hasPending && now - since > MAX_IDLE_MS)
      this.#onViolation(`${lane}: paused, but has parts that are pending, not held`)
  }

  #of(id: LaneId): Map<string, number> {
    const key = laneKey(id)
    const dueAt = this.#dueAt.get(key) ?? new Map<string, number>()
    this.#dueAt.set(key, dueAt)
    return dueAt
  }

  #firstDue(lane: string): number {
    return Math.min(Infinity, ...(this.#dueAt.get(lane)?.values() ?? []))
  }
}
