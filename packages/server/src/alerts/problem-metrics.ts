import type { Catalog } from '../backend/catalog.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { webhookName } from '../telemetry/names.ts'
import { certificateExpiriesOf } from './certificates.ts'
import { type ConditionName, CONDITIONS } from './conditions.ts'
import { findingsIn } from './current-problems.ts'
import type { FactsCollector } from './facts-collector.ts'

interface Deps {
  readonly facts: Pick<FactsCollector, 'collect'>
  readonly catalog: Pick<Catalog, 'current'>
}

/** Before each scrape, sets the gauges of problems, free disk space, backup age and certificate expiry. */
export function reportProblems(metrics: Metrics, { facts, catalog }: Deps): void {
  const { problems, diskFree, backupAge, certificateExpiry } = metrics
  metrics.beforeScrape(async () => {
    const collected = await facts.collect()
    const { now, disk, lastBackupAt } = collected
    for (const [condition, { severity }] of Object.entries(CONDITIONS))
      if (!OF_CHECKS.has(condition)) problems.set({ condition, severity }, 0)
    for (const { condition } of findingsIn({ ...collected, checks: {} }))
      problems.inc({ condition, severity: CONDITIONS[condition].severity })
    diskFree.set(disk?.freeBytes ?? 0)
    backupAge.set(lastBackupAt === null ? 0 : Math.max(0, (now - lastBackupAt) / 1000))
    certificateExpiry.reset()
    const { maxDestinations } = metrics.destinationCounts
    const destinations = [...catalog.current.destinations.values()].slice(0, maxDestinations)
    for (const destination of destinations)
      for (const { url, expiresAt } of certificateExpiriesOf(destination)) {
        const webhook = webhookName(url, destination)
        certificateExpiry.set({ destination: destination.id, webhook }, (expiresAt - now) / 1000)
      }
  })
}

/** /readyz reports its checks. They write to the disk, so a scrape does not run them. */
const OF_CHECKS: ReadonlySet<string> = new Set<ConditionName>(['check_failed', 'check_warning'])
