import { Metrics } from '../../packages/server/src/telemetry/metrics.ts'
import { code, page, plain, table } from './markdown.ts'

/** A metric of Hookline, as it is exported. */
interface ExportedMetric {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly labels: readonly string[]
}

/** docs/reference/metrics.md: every metric of Hookline. */
export async function metricsPage(): Promise<string> {
  return page(
    '# Metrics',
    '`GET /metrics` returns the metrics in the Prometheus format. With `--admin-port`, it is on that port. All metrics are in seconds or bytes, or are counts. No label contains the id of a user or the name of an event, or more of a URL than its host. The usual `process_…` and `nodejs_…` metrics are exported too. [deploy](../../deploy/README.md) has alert rules and a Grafana dashboard for these metrics.',
    'Metrics with the label `destination` have the id of a destination, which stays the same when it is renamed. Its name and that of its source are labels of `hookline_destination_info`, in at most 64 characters. Join them in a query: `sum by (instance, destination) (hookline_destination_waiting) * on (instance, destination) group_left (name, source) hookline_destination_info`. The label `webhook` is the host of a webhook; a second webhook with the same host is `host#2`. When a destination is removed, its series end. At most `maxDestinationsInMetrics` destinations have series of their own. What was counted or waits for the others has the destination `other`.',
    '`/metrics` needs no token, so everyone who can reach it reads these names and hosts. Keep it away from strangers with `--admin-port`, or set `maxDestinationsInMetrics` to 0: then no destination is named.',
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
