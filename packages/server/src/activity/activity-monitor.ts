import type { AcceptedEvent, IngestCodeName } from '@hookline/protocol'
import type { Logger } from '../telemetry/logger.ts'
import type { Catalog } from '../backend/catalog.ts'
import type { Statistics } from '../backend/statistics.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type {
  ActivityListener,
  ChangeActivity,
  DecisionActivity,
  DeliveryActivity,
  PurgeActivity,
} from '../telemetry/activity-listener.ts'
import type { Clock } from '../util/clock.ts'
import type { ClockWatch } from '../util/clock-watch.ts'
import { LiveTail } from './live-tail.ts'
import { RecentAttempts } from './recent-attempts.ts'
import { StatisticsRecorder } from './statistics-recorder.ts'

export interface ActivityMonitorOptions {
  readonly statistics: Statistics
  readonly catalog: Catalog
  readonly upkeep: Upkeep
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly logger: Logger
}

/** Passes all activity on to the live tail, the attempts of the last hour and the statistics. */
export class ActivityMonitor implements ActivityListener, AsyncDisposable {
  readonly live: LiveTail
  readonly recent: RecentAttempts
  /** The statistics up to now. */
  readonly statistics: Pick<Statistics, 'read'>
  readonly #statistics: StatisticsRecorder

  constructor(options: ActivityMonitorOptions) {
    this.live = new LiveTail(options.clock)
    this.recent = new RecentAttempts(options.clock)
    this.#statistics = new StatisticsRecorder(options)
    this.#statistics.start()
    this.statistics = this.#statistics
  }

  received(events: readonly AcceptedEvent[]): void {
    this.live.received(events)
    this.#statistics.received(events)
  }

  refused(code: IngestCodeName | 'suppressed', calls: number, sourceId?: string): void {
    this.#statistics.refused(code, calls, sourceId)
  }

  decided(decision: DecisionActivity): void {
    this.live.decided(decision)
    this.#statistics.decided(decision)
  }

  recorded(delivery: DeliveryActivity): void {
    this.live.recorded(delivery)
    this.recent.recorded(delivery)
    this.#statistics.recorded(delivery)
  }

  changed(change: ChangeActivity): void {
    this.#statistics.changed(change)
  }

  purged(purge: PurgeActivity): void {
    this.live.purged(purge)
  }

  /** Writes the statistics of the current minute. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#statistics[Symbol.asyncDispose]()
  }
}
