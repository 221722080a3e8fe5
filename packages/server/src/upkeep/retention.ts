import type { Logger } from '../telemetry/logger.ts'
import type { Audit } from '../backend/audit.ts'
import type { RemovalSlice, Upkeep } from '../backend/upkeep.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import { Recurring } from '../util/time/recurring.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface RetentionOptions {
  readonly upkeep: Pick<Upkeep, 'usedBytes' | 'removeOldest'>
  readonly audit: Pick<Audit, 'removeBefore'>
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly metrics: Metrics
  readonly logger: Logger
  /** How long an event is kept. */
  readonly retentionMs: number
  /** The largest size of the data; 0 for no limit. */
  readonly retentionMaxBytes: number
  /** How long an entry of the audit log is kept. */
  readonly auditRetentionMs: number
}

const EVERY_MS = 60_000
/** Under load, this thread is too busy to ask for every slice: others would add more than it removes. */
const FOR_MS = 1_000

/**
 * Removes events that are older than `retentionMs`, then the oldest until the data is smaller than `retentionMaxBytes`.
 * It works once a minute, in slices of a few milliseconds. Events that still wait for delivery are kept, and those that a follower of
 * the log has not reached: the data may then be larger.
 */
export class Retention implements Worker {
  readonly name = 'retention'
  readonly #options: RetentionOptions
  readonly #recurring: Recurring

  constructor(options: RetentionOptions) {
    this.#options = options
    this.#recurring = new Recurring({
      clock: options.clock,
      work: (signal) => this.#pass(signal),
    })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #pass(signal: AbortSignal): Promise<number> {
    const { clockWatch, retentionMs, retentionMaxBytes, logger } = this.#options
    const removed =
      (await this.#remove(
        { before: clockWatch.removalTime() - retentionMs },
        async () => !signal.aborted,
      )) +
      (await this.#remove(
        { keepBytes: retentionMaxBytes },
        async () => !signal.aborted && (await this.#isTooLarge()),
      ))
    if (removed > 0) logger.info({ events: removed }, 'retention.removed')
    await this.#removeAudit(signal)
    return EVERY_MS
  }

  async #removeAudit(signal: AbortSignal): Promise<void> {
    const { audit, auditRetentionMs, clockWatch } = this.#options
    const before = clockWatch.removalTime() - auditRetentionMs
    while (!signal.aborted && (await audit.removeBefore(before)) > 0);
  }

  /** Removes one slice after another while `isWanted` returns true. Returns the number of removed events. */
  async #remove(
    what: Pick<RemovalSlice, 'before' | 'keepBytes'>,
    isWanted: () => Promise<boolean>,
  ): Promise<number> {
    const { upkeep, metrics } = this.#options
    let cursor: string | null | undefined
    let events = 0
    while (cursor !== null && (await isWanted())) {
      const place = cursor === undefined ? {} : { cursor }
      const slice = await upkeep.removeOldest({ ...what, ...place, forMs: FOR_MS })
      metrics.eventsRemoved.inc(slice.removed)
      events += slice.removed
      cursor = slice.cursor
    }
    return events
  }

  async #isTooLarge(): Promise<boolean> {
    const { upkeep, retentionMaxBytes } = this.#options
    return retentionMaxBytes > 0 && (await upkeep.usedBytes()) > retentionMaxBytes
  }
}
