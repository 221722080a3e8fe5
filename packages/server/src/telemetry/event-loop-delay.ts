import { createHistogram, performance } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'
import { systemClock } from '../util/time/clock.ts'

const BUSY_EVERY_MS = 10
const RESTING_EVERY_MS = 250
/** The event loop rests while it is in use for less than this share of the time. */
const BUSY_SHARE = 0.05
/** How many looks in a row a busy event loop gets until its share is computed again. */
const LOOKS = RESTING_EVERY_MS / BUSY_EVERY_MS
const LONGEST_DELAY_US = 3_600_000_000

type Histogram = ReturnType<typeof createHistogram>

interface Figure {
  readonly help: string
  readonly of: (delays: Histogram, lastUs: number) => number
}

const FIGURES: Readonly<Record<string, Figure>> = {
  seconds: { help: 'The last delay of the event loop.', of: (_delays, lastUs) => lastUs },
  min_seconds: { help: 'The least delay of the event loop.', of: ({ min }) => min },
  max_seconds: { help: 'The longest delay of the event loop.', of: ({ max }) => max },
  mean_seconds: { help: 'The mean delay of the event loop.', of: ({ mean }) => mean },
  stddev_seconds: {
    help: 'The standard deviation of the delays of the event loop.',
    of: ({ stddev }) => stddev,
  },
  p50_seconds: { help: 'The median delay of the event loop.', of: percentile(50) },
  p90_seconds: { help: 'The 90th percentile of delays of the event loop.', of: percentile(90) },
  p99_seconds: { help: 'The 99th percentile of delays of the event loop.', of: percentile(99) },
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
    for (const [name, { help, of }] of Object.entries(FIGURES)) {
      const gauge: Gauge = new Gauge({
        name: `nodejs_eventloop_lag_${name}`,
        help: `${help} In seconds, since the last scrape.`,
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

function percentile(rank: number): (delays: Histogram) => number {
  return (delays) => delays.percentile(rank)
}
