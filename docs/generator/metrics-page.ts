import { Metrics } from '../../packages/server/src/telemetry/metrics.ts'
import { code, page, plain, table } from './markdown.ts'

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
    '`GET /metrics` returns the metrics in the Prometheus format. With `--admin-port`, it is served on that port only. Units are seconds, bytes or counts. No label contains a user id, an event name, or any part of a webhook URL except the host. The usual `process_…` and `nodejs_…` metrics are also exported. The [deployment files](../../deploy/README.md) include alert rules and a Grafana dashboard for these metrics.',
    'The `destination` label is the id of a destination, so renaming the destination does not break queries. The names of the destination and its source, limited to 64 characters, are labels of `hookline_destination_info`. Join them in a query: `sum by (instance, destination) (hookline_destination_waiting) * on (instance, destination) group_left (name, source) hookline_destination_info`.',
    'The `webhook` label is the host of a webhook; a second webhook with the same host is labelled `host#2`. When a destination is deleted, its series are removed. At most `maxDestinationsInMetrics` destinations have separate series; all others are combined as the destination `other`.',
    '`/metrics` requires no token, so everyone who can reach it can read these names and hosts. Restrict access with `--admin-port`, or set `maxDestinationsInMetrics` to 0 to omit all names.',
    table(['metric', 'type', 'labels', 'meaning'], (await exportedMetrics()).map(rowOf)),
  )
}

/** Every metric of Hookline, without the metrics of the process and of Node.js. */
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
