import type { AcceptedEvent, IngestCodeName } from '@hookline/protocol'
import type { Upkeep } from '../backend/upkeep.ts'
import type {
  ActivityListener,
  DecisionActivity,
  DeliveryActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import { RecentItems } from './recent-items.ts'

/** What happened within a second. */
export interface Counts {
  /** When it began, in milliseconds since the epoch. */
  readonly at: number
  /** How long it was: more than a second where the process was busy. */
  readonly durationMs: number
  readonly received: number
  /** Calls that were not kept. */
  readonly refused: number
  readonly duplicates: number
  readonly declined: number
  /** Deliveries that ended delivered. */
  readonly delivered: number
  /** Attempts that will be followed by another one. */
  readonly retried: number
  /** Deliveries that ended otherwise. */
  readonly failed: number
  /** Deliveries that wait for an attempt at the end of the second; `null` where that is not known. */
  readonly pending: number | null
}

type Sums = Record<Exclude<keyof Counts, 'at' | 'durationMs' | 'pending'>, number>

const SECOND_MS = 1_000
/** Seconds kept for a reader that lags. */
const MOST_KEPT = 60

/** Counts what happens, second by second, while there are readers. */
export class LiveCounts implements Omit<ActivityListener, 'changed' | 'purged' | 'updated'> {
  readonly seconds = new RecentItems<Counts>(MOST_KEPT)
  readonly #clock: Clock
  readonly #upkeep: Pick<Upkeep, 'backlog'>
  #readers = 0
  #sums = noSums()
  #startedAt = 0
  #startedAtWall = 0
  #cancel: () => void = () => undefined

  constructor(clock: Clock, upkeep: Pick<Upkeep, 'backlog'>) {
    this.#clock = clock
    this.#upkeep = upkeep
  }

  /** Counts until the returned function is called. */
  open(): () => void {
    this.#readers += 1
    if (this.#readers === 1) this.#begin()
    return () => {
      this.#readers -= 1
      if (this.#readers === 0) this.#cancel()
    }
  }

  received(events: readonly AcceptedEvent[]): void {
    if (this.#readers === 0) return
    for (const { origin } of events) if (origin === undefined) this.#sums.received += 1
  }

  refused(_code: IngestCodeName | 'suppressed', calls: number): void {
    this.#sums.refused += calls
  }

  decided({ decision }: DecisionActivity): void {
    if (decision === 'duplicate') this.#sums.duplicates += 1
    else if (decision !== 'deliver') this.#sums.declined += 1
  }

  recorded({ delivery, attempts, isEnd }: DeliveryActivity): void {
    for (const { outcome } of attempts) if (outcome === 'retry') this.#sums.retried += 1
    if (isEnd) this.#sums[delivery.state === 'delivered' ? 'delivered' : 'failed'] += 1
  }

  #begin(): void {
    this.#sums = noSums()
    this.#startedAt = this.#clock.now()
    this.#startedAtWall = this.#clock.wall()
    this.#cancel = this.#clock.after(SECOND_MS, () => void this.#end())
  }

  async #end(): Promise<void> {
    const durationMs = this.#clock.now() - this.#startedAt
    const second = { at: this.#startedAtWall, durationMs, ...this.#sums }
    this.#begin()
    const pending = await this.#pending()
    this.seconds.add({ ...second, pending })
  }

  async #pending(): Promise<number | null> {
    try {
      const { waiting } = await this.#upkeep.backlog()
      return waiting.reduce((sum, { state, count }) => sum + (state === 'pending' ? count : 0), 0)
    } catch {
      // The counts go on while the database is unavailable.
      return null
    }
  }
}

function noSums(): Sums {
  const sums = { received: 0, refused: 0, duplicates: 0, declined: 0 }
  return { ...sums, delivered: 0, retried: 0, failed: 0 }
}
