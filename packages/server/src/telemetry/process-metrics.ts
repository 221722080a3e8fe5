import { createHistogram, performance } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { systemClock } from '../util/time/clock.ts'

const HOUR_MS = 3_600_000
const BUSY_MS = 10
/** The interval of measurements in an idle service: a shorter one would cause nearly all of its wake-ups. */
const IDLE_MS = 250
/** The event loop is idle below this share of active time. */
const BUSY_SHARE = 0.05
const MAX_DELAY_US = HOUR_MS * 1_000

/** Adds process metrics, with the p99 and max delay of the event loop. Call the returned function after each scrape. */
export function collectProcessMetrics(register: Registry): () => void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: HOUR_MS })
  for (const { name } of register.getMetricsAsArray()) {
    if (name.startsWith('nodejs_eventloop_lag_')) register.removeSingleMetric(name)
  }
  const delays = measureDelays()
  const addGauge = (figure: string, readUs: () => number): void => {
    const gauge: Gauge = new Gauge({
      name: `nodejs_eventloop_lag_${figure}_seconds`,
      help: 'Delay of the event loop since the last scrape.',
      registers: [register],
      collect: () => gauge.set(delays.count === 0 ? 0 : readUs() / 1e6),
    })
  }
  addGauge('p99', () => delays.percentile(99))
  addGauge('max', () => delays.max)
  return () => delays.reset()
}

/** Measures how late a timer fires: every 10 ms, or every 250 ms while the event loop is idle. */
function measureDelays() {
  const delays = createHistogram({ highest: MAX_DELAY_US })
  let utilization = performance.eventLoopUtilization()
  let sinceMs = 0
  const measure = (everyMs: number): void => {
    const dueMs = performance.now() + everyMs
    systemClock.after(everyMs, () => {
      const lateUs = Math.max(1, Math.round((performance.now() - dueMs) * 1_000))
      delays.record(Math.min(lateUs, MAX_DELAY_US))
      sinceMs += everyMs
      if (sinceMs < IDLE_MS) return measure(everyMs)
      const now = performance.eventLoopUtilization()
      const share = performance.eventLoopUtilization(now, utilization).utilization
      utilization = now
      sinceMs = 0
      measure(share > BUSY_SHARE ? BUSY_MS : IDLE_MS)
    })
  }
  measure(IDLE_MS)
  return delays
}
