import { LRUCache } from 'lru-cache'
import type { Signals } from '../backend/signals.ts'
import type { ActivityListener, DeliveryActivity } from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
/** Beyond this, the least recently used destinations are dropped. */
const MAX_DESTINATIONS = 10_000

export interface AttemptCounts {
  readonly attempts: number
  readonly delivered: number
  /** When the last failed attempt was recorded; `undefined` if none failed. */
  readonly lastFailedAt: number | undefined
  readonly lastDeliveredAt: number | undefined
}

/** The counts of one minute. `minute` is its number since the epoch, because slots are reused after an hour. */
type Slot = { -readonly [Key in keyof AttemptCounts]: AttemptCounts[Key] } & {
  readonly minute: number
}

/** Attempts in the last hour by destination. In memory only, so empty after a restart. */
export class RecentAttempts implements Pick<ActivityListener, 'recorded'> {
  readonly #clock: Clock
  readonly #signals: Pick<Signals, 'request' | 'onRequest'>
  readonly #slots = new LRUCache<string, Slot[]>({ max: MAX_DESTINATIONS })

  constructor(clock: Clock, signals: Pick<Signals, 'request' | 'onRequest'>) {
    this.#clock = clock
    this.#signals = signals
    signals.onRequest('attempts', async (query) =>
      this.ownOf((query as AttemptsQuery).destinationId),
    )
  }

  /** Attempts on all nodes in the last 60 minutes. */
  async of(destinationId: string): Promise<AttemptCounts> {
    const query: AttemptsQuery = { destinationId }
    const others = (await this.#signals.request('attempts', query)) as readonly AttemptCounts[]
    return sumOf([this.ownOf(destinationId), ...others])
  }

  ownOf(destinationId: string): AttemptCounts {
    const now = this.#minute()
    const slots = this.#slots.get(destinationId) ?? []
    return sumOf(slots.filter(({ minute }) => minute > now - MINUTES))
  }

  recorded({ delivery, attempts }: DeliveryActivity): void {
    const counted = attempts.filter(({ outcome }) => outcome !== 'declined').length
    if (counted === 0) return
    const slot = this.#slot(delivery.destinationId)
    slot.attempts += counted
    const delivered = attempts.filter(({ outcome }) => outcome === 'delivered').length
    slot.delivered += delivered
    if (delivered > 0) slot.lastDeliveredAt = this.#clock.wall()
    if (delivered < counted) slot.lastFailedAt = this.#clock.wall()
  }

  #slot(destinationId: string): Slot {
    let slots = this.#slots.get(destinationId)
    if (slots === undefined) this.#slots.set(destinationId, (slots = []))
    const minute = this.#minute()
    const place = minute % MINUTES
    if (slots[place]?.minute !== minute)
      slots[place] = {
        minute,
        attempts: 0,
        delivered: 0,
        lastFailedAt: undefined,
        lastDeliveredAt: undefined,
      }
    return slots[place]
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS)
  }
}

interface AttemptsQuery {
  readonly destinationId: string
}

function sumOf(counts: readonly AttemptCounts[]): AttemptCounts {
  return {
    attempts: counts.reduce((sum, { attempts }) => sum + attempts, 0),
    delivered: counts.reduce((sum, { delivered }) => sum + delivered, 0),
    lastFailedAt: lastOf(counts.map(({ lastFailedAt }) => lastFailedAt)),
    lastDeliveredAt: lastOf(counts.map(({ lastDeliveredAt }) => lastDeliveredAt)),
  }
}

function lastOf(times: readonly (number | undefined)[]): number | undefined {
  const known = times.flatMap((time) => time ?? [])
  return known.length === 0 ? undefined : Math.max(...known)
}
