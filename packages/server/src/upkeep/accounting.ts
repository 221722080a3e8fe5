import type { Logger } from '../telemetry/logger.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'
import { Recurring } from '../util/time/recurring.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface AccountingOptions {
  readonly upkeep: Pick<Upkeep, 'missing'>
  /** What the engine has lost in memory. */
  readonly engine: {
    status(): Promise<{ readonly imbalance: { readonly pipeline: number; readonly lanes: number } }>
  }
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
}

const EVERY_MS = 10_000

/**
 * Compares what came in with where it ended, at each hand-over (spec 03 §Accounting): log → pipeline → lanes → tables.
 * The sum of what was lost is the metric `hookline_accounting_imbalance`; the log says where it was lost.
 */
export class Accounting implements Worker {
  readonly name = 'accounting'
  readonly #options: AccountingOptions
  readonly #recurring: Recurring
  #reported = 0

  constructor(options: AccountingOptions) {
    this.#options = options
    const work = async (): Promise<number> => {
      await this.check()
      return EVERY_MS
    }
    this.#recurring = new Recurring({ clock: options.clock, work })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  /** Sets the metric. Logs a line when something was lost since the check before. */
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

/**
 * Sets the gauges of the backlog and of the size of the database, before each scrape: deliveries by state, the age of
 * the oldest pending one, quarantined items and bytes on disk.
 */
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
