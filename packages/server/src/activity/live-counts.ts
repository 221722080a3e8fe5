import type { AcceptedEvent, DeliveryState, IngestCodeName } from '@hookline/protocol'
import type { Signals } from '../backend/signals.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type {
  ActivityListener,
  DecisionActivity,
  DeliveryActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/time/clock.ts'
import { RecentItems } from './recent-items.ts'

export interface SecondCounts {
  /** Start, in milliseconds since the epoch. */
  readonly at: number
  /** More than a second if the process was busy. */
  readonly durationMs: number
  readonly received: number
  readonly rejected: number
  readonly duplicates: number
  readonly declined: number
  readonly delivered: number
  /** Attempts that will be retried. */
  readonly retried: number
  /** Deliveries that ended without being delivered or declined. */
  readonly failed: number
  /** Pending deliveries at the end of the second; `null` if unknown. */
  readonly pending: number | null
}

type CountSignals = Pick<Signals, 'publish' | 'onMessage' | 'read' | 'onRead'>

type Sums = Record<Exclude<keyof SecondCounts, 'at' | 'durationMs' | 'pending'>, number>

const SECOND_MS = 1_000
/** The number of seconds kept for slow readers. */
const MAX_SECONDS = 60

/** Counts activity per second while there are readers, and adds the counts from other nodes. */
export class LiveCounts implements Omit<
  ActivityListener,
  'changed' | 'unlinked' | 'purged' | 'updated'
> {
  readonly seconds = new RecentItems<SecondCounts>(MAX_SECONDS)
  readonly #clock: Clock
  readonly #upkeep: Pick<Upkeep, 'backlog'>
  readonly #signals: CountSignals
  #readers = 0
  #isReadOnOtherNodes = false
  #sums = noSums()
  #remoteSums = noSums()
  #startedAt = 0
  #startedAtWall = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, upkeep: Pick<Upkeep, 'backlog'>, signals: CountSignals) {
    this.#clock = clock
    this.#upkeep = upkeep
    this.#signals = signals
    signals.onRead('counts', (isRead) => {
      this.#isReadOnOtherNodes = isRead
      this.#beginOrEnd()
    })
    signals.onMessage('counts', (sums) => addTo(this.#remoteSums, sums as Partial<Sums>))
  }

  /** Counts until the returned function is called. */
  open(): () => void {
    this.#readers += 1
    const announced = this.#signals.read('counts')
    this.#beginOrEnd()
    return () => {
      this.#readers -= 1
      announced[Symbol.dispose]()
      this.#beginOrEnd()
    }
  }

  received(events: readonly AcceptedEvent[]): void {
    if (this.#cancel === undefined) return
    for (const { origin } of events) if (origin === undefined) this.#sums.received += 1
  }

  rejected(_code: IngestCodeName | 'suppressed', calls: number): void {
    this.#sums.rejected += calls
  }

  decided({ decision }: DecisionActivity): void {
    if (decision === 'duplicate') this.#sums.duplicates += 1
    else if (decision !== 'deliver') this.#sums.declined += 1
  }

  recorded({ delivery, attempts, isEnd }: DeliveryActivity): void {
    for (const { outcome } of attempts) if (outcome === 'retry') this.#sums.retried += 1
    if (isEnd) this.#sums[endOf(delivery.state)] += 1
  }

  #beginOrEnd(): void {
    const isRead = this.#readers > 0 || this.#isReadOnOtherNodes
    if (isRead && this.#cancel === undefined) this.#begin()
    if (isRead) return
    this.#cancel?.()
    this.#cancel = undefined
  }

  #begin(): void {
    this.#sums = noSums()
    this.#remoteSums = noSums()
    this.#startedAt = this.#clock.now()
    this.#startedAtWall = this.#clock.wall()
    this.#cancel = this.#clock.after(SECOND_MS, () => void this.#end())
  }

  async #end(): Promise<void> {
    const durationMs = this.#clock.now() - this.#startedAt
    const at = this.#startedAtWall
    const [sums, remoteSums] = [this.#sums, this.#remoteSums]
    this.#begin()
    if (this.#isReadOnOtherNodes) this.#signals.publish('counts', sums)
    if (this.#readers === 0) return
    const pending = await this.#pending()
    this.seconds.add({ at, durationMs, ...addTo(sums, remoteSums), pending })
  }

  async #pending(): Promise<number | null> {
    try {
      const { waiting } = await this.#upkeep.backlog()
      return waiting.reduce((sum, { state, count }) => sum + (state === 'pending' ? count : 0), 0)
    } catch {
      // Counting continues while the database is unavailable.
      return null
    }
  }
}

function endOf(state: DeliveryState): 'delivered' | 'declined' | 'failed' {
  return state === 'delivered' || state === 'declined' ? state : 'failed'
}

function noSums(): Sums {
  const sums = { received: 0, rejected: 0, duplicates: 0, declined: 0 }
  return { ...sums, delivered: 0, retried: 0, failed: 0 }
}

/** Adds in place. Unknown counts, from a newer node, are ignored. */
function addTo(sums: Sums, others: Partial<Sums>): Sums {
  for (const name of Object.keys(sums) as (keyof Sums)[]) sums[name] += others[name] ?? 0
  return sums
}
