import type { Upkeep } from '../backend/upkeep.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Clock } from '../util/time/clock.ts'

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
