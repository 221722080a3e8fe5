import { LRUCache } from 'lru-cache'
import { type LaneId, laneKey } from '../../backend/deliveries.ts'
import type { Clock } from '../../util/time/clock.ts'

/** Timers may be late by this much. The next attempt is earlier to catch up. */
const TIMER_MS = 10
/** Beyond this, the webhook whose last attempt is the oldest is forgotten: its next attempt may be early. */
const MAX_WEBHOOKS = 10_000

/**
 * Spaces the attempts of webhooks with `limits.perSecond` evenly, without bursts. A lane reserves the time of its next
 * attempt, so the lanes of events and of deletion notices take turns.
 */
export class AttemptSpacing {
  readonly #clock: Pick<Clock, 'now'>
  readonly #freeFrom = new LRUCache<string, number>({ max: MAX_WEBHOOKS })

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Returns the time of the next attempt, which no other attempt gets. */
  reserve(id: LaneId, perSecond: number): number {
    const key = laneKey(id)
    const at = Math.max(this.#freeFrom.get(key) ?? 0, this.#clock.now() - TIMER_MS)
    this.#freeFrom.set(key, at + 1_000 / perSecond)
    return at
  }

  /** The limit has changed, so reserved times no longer count. */
  forget(id: LaneId): void {
    this.#freeFrom.delete(laneKey(id))
  }
}
