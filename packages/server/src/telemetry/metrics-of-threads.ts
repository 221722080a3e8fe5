import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'
import type { Registry } from 'prom-client'
import type { DestinationCount, DestinationCounts } from './destination-counts.ts'

type MetricJson = MetricObjectWithValues<MetricValue<string>>

/** What a thread has measured. */
export interface ThreadMetrics {
  /** Since the thread started. */
  readonly metrics: readonly MetricJson[]
  /** Since the last time that they were asked for. */
  readonly destinations: ReadonlyMap<string, DestinationCount>
}

/** Asks a thread for its metrics. Resolves without them where it does not respond in time; `onMetrics` may come later. */
export type ReadThread = (onMetrics: (metrics: ThreadMetrics) => void) => Promise<void>

/**
 * The metrics of threads, added to main's at each scrape: a series is the sum of all, gauges too. What a thread had counted
 * at the last scrape stays in the sum when it ends, because a counter must not go down.
 */
export class MetricsOfThreads {
  readonly #counts: DestinationCounts
  /** The threads that run, each with its last metrics. */
  readonly #threads = new Map<ReadThread, readonly MetricJson[]>()
  /** What ended threads had counted: at most one sum, and those that ended since the last scrape. */
  #ended: readonly (readonly MetricJson[])[] = []

  constructor(counts: DestinationCounts) {
    this.#counts = counts
  }

  /** Adds a thread. The returned function removes it when it has ended. */
  add(read: ReadThread): () => void {
    this.#threads.set(read, [])
    return () => {
      const last = this.#threads.get(read) ?? []
      this.#threads.delete(read)
      const counted = last.filter(({ type }) => String(type) !== 'gauge')
      // At once: a scrape finds each thread here or there.
      if (counted.length > 0) this.#ended = [...this.#ended, counted]
    }
  }

  /** Asks all threads. One that does not respond has its last metrics. */
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

  /** All metrics of main and the threads, in the text format of Prometheus. */
  async textWith(main: Registry): Promise<string> {
    const parts = [...this.#ended, ...this.#threads.values()].filter(({ length }) => length > 0)
    if (parts.length === 0) return main.metrics()
    const shared = new Set(parts.flat().map(({ name }) => name))
    const ofMain = await main.getMetricsAsJSON()
    const sum = sumOf([ofMain.filter(({ name }) => shared.has(name)), ...parts])
    // Those of the process and of Node. They have aggregators of their own, which must not apply to them alone. They are
    // not collected again for their text: what Node measures since the last time would be nothing.
    const alone = ofMain.filter(({ name }) => !shared.has(name))
    const texts = [sumOf([alone.map((each) => ({ ...each, aggregator: 'first' }))]), sum]
    return (await Promise.all(texts.map((text) => text.metrics()))).join('\n')
  }

  async #sumUp(): Promise<void> {
    const ended = this.#ended
    if (ended.length < 2) return
    const sum = await sumOf(ended).getMetricsAsJSON()
    // Another scrape may have done it, or another thread have ended.
    if (this.#ended === ended) this.#ended = [sum]
  }
}

function sumOf(parts: readonly (readonly MetricJson[])[]): Registry {
  // It only reads them.
  return AggregatorRegistry.aggregate(parts as unknown as object[])
}
