import { Counter, Gauge, type LabelValues } from 'prom-client'

/*
 * Metrics of the path of every event. prom-client validates and hashes the labels at each call, so these count by
 * themselves, and tell prom-client when they are read.
 */

/** A counter with few label values. */
export class TalliedCounter<Label extends string> extends Counter<Label> {
  readonly #tallies = new Map<string, { readonly labels: LabelValues<Label>; count: number }>()

  /** As `inc`. @param key is the same for the same labels */
  count(key: string, labels: LabelValues<Label>, by = 1): void {
    const tally = this.#tallies.get(key)
    if (tally === undefined) this.#tallies.set(key, { labels, count: by })
    else tally.count += by
  }

  /** prom-client calls it before it reads the values. */
  collect(): void {
    for (const tally of this.#tallies.values()) {
      this.inc(tally.labels, tally.count)
      tally.count = 0
    }
  }
}

/** A gauge without labels. */
export class TalliedGauge extends Gauge {
  #value = 0

  add(by: number): void {
    this.#value += by
  }

  /** prom-client calls it before it reads the value. */
  collect(): void {
    this.set(this.#value)
  }
}
