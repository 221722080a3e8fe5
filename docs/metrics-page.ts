import { Metrics } from '../packages/server/src/telemetry/metrics.ts'
import { code, page, plain, table } from './markdown.ts'

/** One metric of our own, as it is exported. */
interface ExportedMetric {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

/** docs/metrics.md: every metric of our own. */
export async function metricsPage(): Promise<string> {
  return page(
    '# Metrics',
    '`GET /metrics` answers as Prometheus reads it, on `--admin-port` where that is set. All are in base units; no label holds the id of a user, the name of an event or a URL. Besides these there are the usual `process_…` and `nodejs_…`. [deploy](../deploy/README.md) has alert rules and a Grafana dashboard made of them.',
    table(['metric', 'type', 'labels', 'what it tells'], (await exportedMetrics()).map(rowOf)),
  )
}

/** Every metric of our own. */
export async function exportedMetrics(): Promise<ExportedMetric[]> {
  const { registry } = new Metrics()
  const all = await registry.getMetricsAsJSON()
  return all
    .filter(({ name }) => name.startsWith('hookline_'))
    .map(({ name, type, help }) => {
      // The library keeps it, but has no word for it in its types.
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
      return { name, type: String(type), help, labels: labelNames }
    })
}

function rowOf({ name, type, labels, help }: ExportedMetric): string[] {
  return [code(name), type, labels.map(code).join(', '), plain(help)]
}
