import type { Audit } from '../backend/audit.ts'
import type { RemovalSlice, Upkeep } from '../backend/upkeep.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { sleep } from '../util/time/sleep.ts'
import type { ClockWatch } from '../util/workers/clock-watch.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface RetentionOptions {
  readonly upkeep: Pick<Upkeep, 'usedBytes' | 'removeOldest'>
  readonly audit: Pick<Audit, 'removeBefore'>
  readonly clock: Clock
  readonly clockWatch: Pick<ClockWatch, 'removalTime'>
  readonly metrics: Metrics
  readonly logger: Logger
  readonly retentionMs: number
  /** 0 for no limit. */
  readonly retentionMaxBytes: number
  readonly auditRetentionMs: number
}

const RETENTION_EVERY_MS = 60_000
/** Duration of one removal call: under load, a call per slice would remove events more slowly than they are added. */
const FOR_MS = 1_000

/**
 * Once a minute, removes events beyond `retentionMs` or `retentionMaxBytes`, except events that are unacked, that profiles have
 * not reached, or that have an unfinished delivery. Also removes old audit entries.
 */
export class Retention implements Worker {
  readonly name = 'retention'
  readonly #options: RetentionOptions

  constructor(options: RetentionOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pass(signal)
      await sleep(this.#options.clock, RETENTION_EVERY_MS, signal)
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { audit, clockWatch, logger } = this.#options
    const { retentionMs, retentionMaxBytes, auditRetentionMs } = this.#options
    const expired = { before: clockWatch.removalTime() - retentionMs }
    const removed =
      (await this.#remove(expired, async () => !signal.aborted)) +
      (await this.#remove(
        { keepBytes: retentionMaxBytes },
        async () => !signal.aborted && (await this.#isTooLarge()),
      ))
    if (removed > 0) logger.info({ events: removed }, 'retention.removed')
    const before = clockWatch.removalTime() - auditRetentionMs
    while (!signal.aborted && (await audit.removeBefore(before)) > 0);
  }

  /** Removes slices while `isWanted`. Resolves to the number of removed events. */
  async #remove(
    what: Pick<RemovalSlice, 'before' | 'keepBytes'>,
    isWanted: () => Promise<boolean>,
  ): Promise<number> {
    const { upkeep, metrics } = this.#options
    let cursor: string | null | undefined
    let events = 0
    while (cursor !== null && (await isWanted())) {
      const slice = await upkeep.removeOldest({
        ...what,
        ...(cursor !== undefined && { cursor }),
        forMs: FOR_MS,
      })
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

interface AccountingOptions {
  readonly upkeep: Pick<Upkeep, 'missing'>
  /** Counts deliveries lost in memory. */
  readonly engine: {
    status(): Promise<{ readonly imbalance: { readonly pipeline: number; readonly lanes: number } }>
  }
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
}

const ACCOUNTING_EVERY_MS = 10_000

/** Compares the inputs and outputs of each handover. Sets `hookline_accounting_imbalance`. */
export class Accounting implements Worker {
  readonly name = 'accounting'
  readonly #options: AccountingOptions
  #reported = 0

  constructor(options: AccountingOptions) {
    this.#options = options
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.check()
      await sleep(this.#options.clock, ACCOUNTING_EVERY_MS, signal)
    }
  }

  /** Sets the metric. Logs new losses. */
  async check(): Promise<void> {
    const { upkeep, engine, metrics, logger } = this.#options
    const { imbalance } = await engine.status()
    const lost = { ...(await upkeep.missing()), ...imbalance }
    const total = Object.values(lost).reduce((sum, each) => sum + Math.abs(each), 0)
    metrics.accountingImbalance.set(total)
    if (total !== 0 && total !== this.#reported) logger.error(lost, 'accounting.imbalance')
    this.#reported = total
  }
}

/** Sets the gauges of the backlog, the quarantine and the database size before each scrape. */
export function reportBacklog(
  metrics: Metrics,
  upkeep: Pick<Upkeep, 'backlog' | 'usedBytes'>,
  clock: Clock,
): void {
  metrics.beforeScrape(async () => {
    const { waiting, oldestPendingAt, quarantined } = await upkeep.backlog()
    for (const state of ['pending', 'held'] as const) {
      const ofState = waiting.filter((each) => each.state === state)
      const count = ofState.reduce((sum, each) => sum + each.count, 0)
      metrics.deliveries.set({ state }, count)
    }
    const ageMs = oldestPendingAt === undefined ? 0 : clock.now() - oldestPendingAt
    metrics.oldestPending.set(Math.max(0, ageMs / 1000))
    metrics.quarantined.set(quarantined)
    metrics.databaseSize.set(await upkeep.usedBytes())
  })
}
