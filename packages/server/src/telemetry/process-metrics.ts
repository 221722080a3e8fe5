import { createHistogram, performance } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { systemClock } from '../util/time/clock.ts'

const HOUR_MS = 3_600_000

/** Adds the metrics of the process that prom-client has, with a delay of the event loop that is our own. */
export function collectProcessMetrics(register: Registry): EventLoopDelay {
  // prom-client looks at the event loop at all times. Its default of 10 ms was nearly all that woke an idle service.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: HOUR_MS })
  for (const { name } of register.getMetricsAsArray()) {
    if (name.startsWith('nodejs_eventloop_lag_')) register.removeSingleMetric(name)
  }
  return new EventLoopDelay(register)
}

const BUSY_EVERY_MS = 10
const RESTING_EVERY_MS = 250
/** The event loop rests while it is in use for less than this share of the time. */
const BUSY_SHARE = 0.05
/** How many looks in a row a busy event loop gets until its share is computed again. */
const LOOKS = RESTING_EVERY_MS / BUSY_EVERY_MS
const LONGEST_DELAY_US = 3_600_000_000

type Histogram = ReturnType<typeof createHistogram>

/** The value of each gauge in microseconds, by the part of its name that prom-client puts before `seconds`. */
const FIGURES: Readonly<Record<string, (delays: Histogram, lastUs: number) => number>> = {
  '': (_delays, lastUs) => lastUs,
  min_: ({ min }) => min,
  max_: ({ max }) => max,
  mean_: ({ mean }) => mean,
  stddev_: ({ stddev }) => stddev,
  p50_: (delays) => delays.percentile(50),
  p90_: (delays) => delays.percentile(90),
  p99_: (delays) => delays.percentile(99),
}

/**
 * Measures how late the event loop of this thread is, since the last scrape: the gauges `nodejs_eventloop_lag_*`. It looks
 * every 10 ms, and four times a second while the event loop rests, so that an idle service seldom wakes. What blocks a
 * resting event loop for less than 250 ms may be missed.
 */
export class EventLoopDelay {
  readonly #delays = createHistogram({ highest: LONGEST_DELAY_US })
  #lastUs = 0
  #dueMs = 0
  #looks = 0
  #utilization = performance.eventLoopUtilization()
  #everyMs = RESTING_EVERY_MS

  constructor(registry: Registry) {
    for (const [name, of] of Object.entries(FIGURES)) {
      const gauge: Gauge = new Gauge({
        name: `nodejs_eventloop_lag_${name}seconds`,
        help: 'Delay of the event loop since the last scrape, in seconds.',
        registers: [registry],
        collect: () =>
          gauge.set(this.#delays.count === 0 ? 0 : of(this.#delays, this.#lastUs) / 1e6),
      })
    }
    this.#lookLater()
  }

  /** Begins anew. Call it after each scrape. */
  reset(): void {
    this.#delays.reset()
  }

  #lookLater(): void {
    this.#dueMs = performance.now() + this.#everyMs
    systemClock.after(this.#everyMs, () => this.#look())
  }

  #look(): void {
    this.#lastUs = Math.max(1, Math.round((performance.now() - this.#dueMs) * 1000))
    this.#delays.record(Math.min(this.#lastUs, LONGEST_DELAY_US))
    this.#looks++
    if (this.#everyMs === RESTING_EVERY_MS || this.#looks >= LOOKS) this.#choosePace()
    this.#lookLater()
  }

  #choosePace(): void {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#utilization)
    this.#everyMs = utilization > BUSY_SHARE ? BUSY_EVERY_MS : RESTING_EVERY_MS
    this.#utilization = now
    this.#looks = 0
  }
}
