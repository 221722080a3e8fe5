import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'
import type { Registry } from 'prom-client'
import type { DestinationCount, DestinationCounts } from './destination-counts.ts'

export type MetricJson = MetricObjectWithValues<MetricValue<string>>

export interface ThreadMetrics {
  /** Since the thread started. */
  readonly metrics: readonly MetricJson[]
  /** Since the previous read. */
  readonly destinations: ReadonlyMap<string, DestinationCount>
}

/** Reads a thread's metrics. Resolves without them if the thread is slow; `onMetrics` may be called later. */
export type ReadThread = (onMetrics: (metrics: ThreadMetrics) => void) => Promise<void>

/**
 * Sums the metrics of main and all threads, including gauges. Counters of exited threads are kept, because a counter
 * must not go down.
 */
export class ThreadMetricsRegistry {
  readonly #counts: DestinationCounts
  /** The running threads, each with its last metrics. */
  readonly #threads = new Map<ReadThread, readonly MetricJson[]>()
  /** The counters of exited threads: their sum up to the last scrape, and one entry for each thread that has exited since. */
  #ended: readonly (readonly MetricJson[])[] = []

  constructor(counts: DestinationCounts) {
    this.#counts = counts
  }

  /** Adds a thread. Call the returned function when it has exited. */
  add(read: ReadThread): () => void {
    this.#threads.set(read, [])
    return () => {
      const last = this.#threads.get(read) ?? []
      this.#threads.delete(read)
      const counted = last.filter(({ type }) => String(type) !== 'gauge')
      if (counted.length > 0) this.#ended = [...this.#ended, counted]
    }
  }

  /** Reads all threads. One that does not respond keeps its last metrics. */
  async read(): Promise<void> {
    const reads = [...this.#threads.keys()].map((read) =>
      read(({ metrics, destinations }) => {
        if (this.#threads.has(read)) this.#threads.set(read, metrics)
        this.#counts.add(destinations)
      }),
    )
    await Promise.allSettled(reads)
    await this.#sumUp()
  }

  /** All metrics of main and the threads. */
  async registriesWith(main: Registry): Promise<readonly Registry[]> {
    const parts = [...this.#ended, ...this.#threads.values()].filter(({ length }) => length > 0)
    if (parts.length === 0) return [main]
    const shared = new Set(parts.flat().map(({ name }) => name))
    const mainMetrics = await main.getMetricsAsJSON()
    const sum = sumOf([mainMetrics.filter(({ name }) => shared.has(name)), ...parts])
    // Process metrics have aggregators that must not apply to main alone. Each collection restarts their measurements.
    const mainOnly = mainMetrics.filter(({ name }) => !shared.has(name))
    return [sumOf([mainOnly.map((each) => ({ ...each, aggregator: 'first' }))]), sum]
  }

  async #sumUp(): Promise<void> {
    const ended = this.#ended
    if (ended.length < 2) return
    const sum = await sumOf(ended).getMetricsAsJSON()
    // Another scrape may have replaced it, or another thread may have exited.
    if (this.#ended === ended) this.#ended = [sum]
  }
}

function sumOf(parts: readonly (readonly MetricJson[])[]): Registry {
  return AggregatorRegistry.aggregate(parts as unknown as object[])
}
