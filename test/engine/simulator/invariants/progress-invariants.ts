import type { Delivery } from '@hookline/protocol'

export interface LaneReadiness {
  readonly destinationId: string
  /**
   * A round may begin: the process runs, the backend is available, the destination is on, a webhook may be tried, the
   * lane has no round in flight and a slot is free.
   */
  readonly isReady: boolean
  /** The destination is paused, and its deliveries can be held: the rest is as for `isReady`, except the webhooks. */
  readonly isPaused: boolean
  /** How many rounds it has begun. A round may make no attempt, when all its webhooks are blocked. */
  readonly rounds: number
}

/**
 * How long a lane may be idle while a delivery is due and may be tried. Timers and events must wake the feed by then.
 * It also looks once a minute, but a lane that depends on that has missed a wake-up.
 */
const LONGEST_IDLE_MS = 2_000

/** A due delivery is tried as soon as it may be, and a pending delivery of a paused destination is held. */
export class ProgressInvariants {
  readonly #onViolation: (violation: string) => void
  readonly #beganAt: number
  readonly #dueAt = new Map<string, Map<string, number>>()
  readonly #readySince = new Map<string, number>()
  readonly #pausedSince = new Map<string, number>()
  readonly #rounds = new Map<string, number>()

  /** @param beganAt when the simulation began */
  constructor(onViolation: (violation: string) => void, beganAt: number) {
    this.#onViolation = onViolation
    this.#beganAt = beganAt
  }

  recorded({ id, destinationId, dueAt }: Delivery): void {
    const ofLane = this.#dueAt.get(destinationId) ?? new Map<string, number>()
    this.#dueAt.set(destinationId, ofLane)
    if (dueAt === null) ofLane.delete(id)
    else ofLane.set(id, dueAt)
  }

  check(now: number, lane: LaneReadiness): void {
    this.#checkPaused(now, lane)
    this.#checkReady(now, lane)
  }

  #checkReady(now: number, { destinationId, isReady, rounds }: LaneReadiness): void {
    const hasBegun = this.#rounds.get(destinationId) !== rounds
    this.#rounds.set(destinationId, rounds)
    const since = this.#readySince.get(destinationId) ?? now
    const dueSince = isReady && !hasBegun ? this.#firstDue(destinationId) : Infinity
    if (dueSince > now) {
      this.#readySince.delete(destinationId)
      return
    }
    this.#readySince.set(destinationId, since)
    const idleMs = now - Math.max(since, dueSince)
    if (idleMs > LONGEST_IDLE_MS) {
      this.#onViolation(
        `${destinationId}: idle for ${idleMs} ms although deliveries were due, ${now - this.#beganAt} ms after the start`,
      )
      this.#readySince.set(destinationId, now)
    }
  }

  /** Deliveries that are due later must be held, too. */
  #checkPaused(now: number, { destinationId, isPaused }: LaneReadiness): void {
    const hasPending = isPaused && (this.#dueAt.get(destinationId)?.size ?? 0) > 0
    const since = this.#pausedSince.get(destinationId) ?? now
    if (!hasPending) this.#pausedSince.delete(destinationId)
    else this.#pausedSince.set(destinationId, since)
    if (hasPending && now - since > LONGEST_IDLE_MS)
      this.#onViolation(`${destinationId}: paused, but has deliveries that are pending, not held`)
  }

  #firstDue(destinationId: string): number {
    return Math.min(Infinity, ...(this.#dueAt.get(destinationId)?.values() ?? []))
  }
}
