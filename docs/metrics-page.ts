import { Metrics } from '../packages/server/src/telemetry/metrics.ts'
import { code, page, plain, table } from './markdown.ts'

/** A metric of Hookline, as it is exported. */
interface ExportedMetric {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

/** docs/metrics.md: every metric of Hookline. */
export async function metricsPage(): Promise<string> {
  return page(
    '# Metrics',
    '`GET /metrics` returns the metrics in the Prometheus format. With `--admin-port`, it is on that port. All metrics are in seconds or bytes, or are counts. No label contains the id of a user, the name of an event or a URL. The usual `process_…` and `nodejs_…` metrics are exported too. [deploy](../deploy/README.md) has alert rules and a Grafana dashboard for these metrics.',
    table(['metric', 'type', 'labels', 'meaning'], (await exportedMetrics()).map(rowOf)),
  )
}

/** Every metric of Hookline, without those of the process and of Node. */
export async function exportedMetrics(): Promise<ExportedMetric[]> {
  const { registry } = new Metrics()
  const all = await registry.getMetricsAsJSON()
  return all
    .filter(({ name }) => name.startsWith('hookline_'))
    .map(({ name, type, help }) => {
      // prom-client has this property, but its types do not.
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
      return { name, type: String(type), help, labels: labelNames }
    })
}

function rowOf({ name, type, labels, help }: ExportedMetric): string[] {
  return [code(name), type, labels.map(code).join(', '), plain(help)]
}
