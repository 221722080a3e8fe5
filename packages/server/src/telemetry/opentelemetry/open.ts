import { CONTINUED_TRACES, type Tracing, type TracingOptions } from '../tracing.ts'
import type { MetricsExportOptions } from './metrics.ts'

type Signal = 'TRACES' | 'METRICS'

/** Whether the standard OpenTelemetry variables turn on the export of a signal. */
function isExported(signal: Signal, environment = process.env): boolean {
  const { OTEL_SDK_DISABLED: disabled = '', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = environment
  const own = environment[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]
  const exporter = environment[`OTEL_${signal}_EXPORTER`] || 'otlp'
  if (disabled.toLowerCase() === 'true' || exporter.toLowerCase() === 'none') return false
  return Boolean(own || endpoint)
}

/** `undefined` if there is nothing to do. Loads OpenTelemetry only if its variables are set. */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (isExported('TRACES')) {
    const { OpenTelemetryTracing } = await import('./traces.ts')
    return new OpenTelemetryTracing(options)
  }
  return options.continuesTraces ? CONTINUED_TRACES : undefined
}

/** `undefined` unless OpenTelemetry's variables are set. */
export async function openMetricsExport(
  options: MetricsExportOptions,
): Promise<AsyncDisposable | undefined> {
  if (!isExported('METRICS')) return undefined
  const { OpenTelemetryMetrics } = await import('./metrics.ts')
  return new OpenTelemetryMetrics(options)
}
