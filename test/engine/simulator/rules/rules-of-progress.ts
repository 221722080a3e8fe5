import type { Delivery } from '@hookline/protocol'

export interface LaneReadiness {
  readonly destinationId: string
  /** The process is up, the backend answers, the destination is on, a webhook may be tried, nothing is in flight, a slot is free. */
  readonly isReady: boolean
  /** The destination is paused, and nothing keeps its deliveries from being held: as above, but for the webhooks. */
  readonly isPaused: boolean
  /** How many rounds it has begun. Some make no attempt, for who is due is quiet. */
  readonly rounds: number
}

/**
 * How long a lane may be idle with something due and nothing in its way. Wakes go by timers and events; the
 * feed's look once a minute is a net below them, and a lane that needs it has been forgotten.
 */
const PATIENCE_MS = 2_000

/** What is due begins, as soon as nothing is in its way. */
export class ProgressRules {
  readonly #onViolation: (what: string) => void
  readonly #dueAt = new Map<string, Map<string, number>>()
  readonly #readySince = new Map<string, number>()
  readonly #pausedSince = new Map<string, number>()
  readonly #rounds = new Map<string, number>()
  /** The longest that an idle lane kept something waiting. */
  longestIdleMs = 0

  constructor(onViolation: (what: string) => void) {
    this.#onViolation = onViolation
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
    this.longestIdleMs = Math.max(this.longestIdleMs, idleMs)
    if (idleMs > PATIENCE_MS) {
      this.#onViolation(
        `${destinationId} was idle for ${idleMs} ms with deliveries due, at ${(now % 86_400_000) - 43_200_000}`,
      )
      this.#readySince.set(destinationId, now)
    }
  }

  /** Paused is paused: what is due in an hour is held now, too. */
  #checkPaused(now: number, { destinationId, isPaused }: LaneReadiness): void {
    const isWaiting = isPaused && (this.#dueAt.get(destinationId)?.size ?? 0) > 0
    const since = this.#pausedSince.get(destinationId) ?? now
    if (!isWaiting) this.#pausedSince.delete(destinationId)
    else this.#pausedSince.set(destinationId, since)
    if (isWaiting && now - since > PATIENCE_MS)
      this.#onViolation(`${destinationId} is paused, and has deliveries that wait for a round`)
  }

  #firstDue(destinationId: string): number {
    return Math.min(Infinity, ...(this.#dueAt.get(destinationId)?.values() ?? []))
  }
}
