import { LRUCache } from 'lru-cache'
import { type LaneId, laneKey } from '../../backend/deliveries.ts'
import type { Clock } from '../../util/time/clock.ts'

/** Timers may be late by this much. The next attempt is earlier to catch up. */
const TIMER_MS = 10
/** Beyond this, the least recently used webhooks are evicted: their next attempts may be early. */
const MAX_WEBHOOKS = 10_000

/**
 * Spaces the attempts of webhooks with `limits.perSecond` evenly, without bursts. A lane reserves the time of its next
 * attempt, so the lanes of events and of deletion notices take turns.
 */
export class AttemptSpacing {
  readonly #clock: Pick<Clock, 'now'>
  readonly #reserved = new LRUCache<string, ReservedTimes>({ max: MAX_WEBHOOKS })

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Reserves and returns the time of the next attempt. */
  reserve(id: LaneId, perSecond: number): number {
    const key = laneKey(id)
    const before = this.#reserved.get(key)?.at ?? -Infinity
    const at = Math.max(before + 1_000 / perSecond, this.#clock.now() - TIMER_MS)
    this.#reserved.set(key, { at, before })
    return at
  }

  /** Releases a reserved time that no attempt has used. */
  release(id: LaneId, at: number): void {
    const key = laneKey(id)
    const last = this.#reserved.get(key)
    if (last?.at === at) this.#reserved.set(key, { at: last.before, before: last.before })
  }
}

/** The last two times reserved for a webhook. */
interface ReservedTimes {
  readonly at: number
  readonly before: number
}
