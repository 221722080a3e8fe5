import { type HrTime, ValueType } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { emptyResource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { Clock } from '../../util/time/clock.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'
import type { MetricJson } from '../thread-metrics-registry.ts'
import { waitForShutdown, withFailureLog, resourceOf } from './export.ts'
import { Variables } from './variables.ts'

export interface MetricsExportOptions {
  readonly metrics: Metrics
  readonly version: string
  readonly clock: Clock
  readonly logger: Logger
}

const INTERVAL_MS = 60_000
const TIMEOUT_MS = 30_000

/** Sends all metrics to a collector, once a minute by default. Disposing sends them one last time. */
export class OpenTelemetryMetrics implements AsyncDisposable {
  readonly #clock: Clock
  readonly #provider: MeterProvider

  constructor({ metrics, version, clock, logger }: MetricsExportOptions) {
    const variables = new Variables(logger)
    variables.check('METRICS')
    const intervalMs = variables.positive('OTEL_METRIC_EXPORT_INTERVAL') ?? INTERVAL_MS
    const timeoutMs = variables.positive('OTEL_METRIC_EXPORT_TIMEOUT') ?? TIMEOUT_MS
    const startedAt = hrTimeOf(clock.wall() - 1000 * process.uptime())
    const scope = { name: 'hookline', version }
    const collect = async () => {
      const times = { startTime: startedAt, endTime: hrTimeOf(clock.wall()) }
      const data = (await metrics.read()).map((metric) => metricDataOf(metric, times))
      const scopeMetrics = [{ scope, metrics: data }]
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] }
    }
    const reader = new PeriodicExportingMetricReader({
      exporter: withFailureLog(new OTLPMetricExporter(), 'metrics', { clock, logger }),
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
      metricProducers: [{ collect }],
    })
    this.#clock = clock
    this.#provider = new MeterProvider({ resource: resourceOf(version), readers: [reader] })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return waitForShutdown(this.#clock, this.#provider.shutdown())
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>

function hrTimeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - 1000 * seconds) * 1e6)]
}

/** Converts a metric of `/metrics` to OpenTelemetry's format. */
function metricDataOf(metric: MetricJson, times: Times): MetricData {
  const { name, help, type, values } = metric
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  if (String(type) === 'histogram')
    return {
      ...base,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histograms(values, times),
    }
  const dataPoints = values.map(({ labels, value }) => ({
    ...times,
    attributes: { ...labels },
    value,
  }))
  return String(type) === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints }
}

type Value = MetricJson['values'][number] & { readonly metricName?: string }
type HistogramPoint = Extract<MetricData, { dataPointType: DataPointType.HISTOGRAM }>['dataPoints']

/** Prometheus buckets are cumulative; OpenTelemetry buckets are not. */
function histograms(values: readonly Value[], times: Times): HistogramPoint {
  const series = Map.groupBy(values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels))
  return [...series].map(([labels, all]) => {
    const find = (suffix: string): number =>
      all.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0
    const buckets = all
      .filter(({ metricName, labels: { le } }) => metricName?.endsWith('_bucket') && le !== '+Inf')
      .toSorted((a, b) => Number(a.labels['le']) - Number(b.labels['le']))
    const count = find('_count')
    const cumulative = [...buckets.map(({ value }) => value), count]
    const boundaries = buckets.map(({ labels: { le } }) => Number(le))
    const counts = cumulative.map((value, index) => value - (cumulative[index - 1] ?? 0))
    const value = { buckets: { boundaries, counts }, sum: find('_sum'), count }
    return { ...times, attributes: JSON.parse(labels) as Record<string, string>, value }
  })
}
