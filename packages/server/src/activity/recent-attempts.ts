import { LRUCache } from 'lru-cache'
import type { Signals } from '../backend/signals.ts'
import type { ActivityListener, DeliveryActivity } from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'

const MINUTE_MS = 60_000
const MINUTES = 60
/** The most destinations that are kept. Those with the oldest attempts are dropped first. */
const MOST_KEPT = 10_000

/** All attempts, and those that delivered. */
export interface AttemptCounts {
  readonly attempts: number
  readonly delivered: number
  /** When the last attempt was recorded that did not deliver; `undefined` if all did. */
  readonly lastFailedAt: number | undefined
}

/** The counts of one minute. `minute` counts from the epoch, because the slot is reused after an hour. */
interface Slot {
  minute: number
  attempts: number
  delivered: number
  lastFailedAt: number | undefined
}

/**
 * Counts the attempts of the last hour by destination. In memory only: it starts empty after a restart, and what a node has
 * counted goes with it.
 */
export class RecentAttempts implements Pick<ActivityListener, 'recorded'> {
  readonly #clock: Clock
  readonly #signals: Pick<Signals, 'ask' | 'onAsked'>
  readonly #slots = new LRUCache<string, Slot[]>({ max: MOST_KEPT })

  constructor(clock: Clock, signals: Pick<Signals, 'ask' | 'onAsked'>) {
    this.#clock = clock
    this.#signals = signals
    signals.onAsked('attempts', async (question) =>
      this.ownOf((question as Question).destinationId),
    )
  }

  /** The attempts of the last 60 minutes, including the current one, of all nodes. */
  async of(destinationId: string): Promise<AttemptCounts> {
    const question: Question = { destinationId }
    const others = (await this.#signals.ask('attempts', question)) as readonly AttemptCounts[]
    return sumOf([this.ownOf(destinationId), ...others])
  }

  /** Those of this node. */
  ownOf(destinationId: string): AttemptCounts {
    const now = this.#minute()
    const slots = (this.#slots.get(destinationId) ?? [])
      .filter(({ minute }) => minute > now - MINUTES)
      .toSorted((a, b) => a.minute - b.minute)
    return {
      attempts: slots.reduce((sum, slot) => sum + slot.attempts, 0),
      delivered: slots.reduce((sum, slot) => sum + slot.delivered, 0),
      lastFailedAt: slots.findLast(({ lastFailedAt }) => lastFailedAt !== undefined)?.lastFailedAt,
    }
  }

  recorded({ delivery, attempts }: DeliveryActivity): void {
    if (attempts.length === 0) return
    const slot = this.#slot(delivery.destinationId)
    slot.attempts += attempts.length
    const delivered = attempts.filter(({ outcome }) => outcome === 'delivered').length
    slot.delivered += delivered
    if (delivered < attempts.length) slot.lastFailedAt = this.#clock.wall()
  }

  #slot(destinationId: string): Slot {
    let slots = this.#slots.get(destinationId)
    if (slots === undefined) this.#slots.set(destinationId, (slots = []))
    const minute = this.#minute()
    const place = minute % MINUTES
    if (slots[place]?.minute !== minute)
      slots[place] = { minute, attempts: 0, delivered: 0, lastFailedAt: undefined }
    return slots[place]
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS)
  }
}

/** What nodes ask each other. */
interface Question {
  readonly destinationId: string
}

function sumOf(counts: readonly AttemptCounts[]): AttemptCounts {
  const failures = counts.flatMap(({ lastFailedAt }) => lastFailedAt ?? [])
  return {
    attempts: counts.reduce((sum, { attempts }) => sum + attempts, 0),
    delivered: counts.reduce((sum, { delivered }) => sum + delivered, 0),
    lastFailedAt: failures.length === 0 ? undefined : Math.max(...failures),
  }
}
