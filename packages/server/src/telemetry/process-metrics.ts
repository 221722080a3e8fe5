import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

const HOUR_MS = 3_600_000
/** The interval of the event loop's timer. A shorter one would be nearly all that wakes an idle service. */
const RESOLUTION_MS = 100
const NS_PER_MS = 1_000_000

/** Adds metrics of the process. Event loop gauges exclude the timer's interval. Call the result after each scrape. */
export function collectProcessMetrics(register: Registry): () => void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: HOUR_MS })
  for (const { name } of register.getMetricsAsArray()) {
    if (name.startsWith('nodejs_eventloop_lag_')) register.removeSingleMetric(name)
  }
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const addGauge = (figure: string, readNs: () => number): void => {
    const gauge: Gauge = new Gauge({
      name: `nodejs_eventloop_lag_${figure}_seconds`,
      help: 'Delay of the event loop since the last scrape.',
      registers: [register],
      collect: () => gauge.set(Math.max(0, readNs() / NS_PER_MS - RESOLUTION_MS) / 1_000),
    })
  }
  addGauge('p99', () => delays.percentile(99))
  addGauge('max', () => delays.max)
  return () => delays.reset()
}
