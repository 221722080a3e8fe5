import { formatTimestamp } from '@hookline/protocol'
import type { CountsRow } from '../backend/statistics.ts'
import { quantileOf } from '../util/histogram.ts'

type Counts = Record<string, number>

/** One point of the statistics: the sum of all rows in its time span. */
export class StatisticsPoint {
  readonly #at: number
  readonly #sums: Counts = {}
  readonly #refused: Counts = {}
  readonly #filtered: Counts = {}
  readonly #failed: Counts = {}
  readonly #attempts: Counts = {}
  readonly #unlinked: Counts = {}
  readonly #latency = new Map<number, number>()
  /** By destination: pending deliveries are a mean over time, but a sum over destinations. */
  readonly #pending = new Map<string, { sum: number; samples: number }>()

  constructor(at: number) {
    this.#at = at
  }

  add({ destinationId, counts }: CountsRow): void {
    for (const [name, count] of Object.entries(counts)) {
      const [group = '', member] = name.split('.')
      if (member === undefined) add(this.#sums, group, count)
      else this.#addMember(group, member, count, destinationId)
    }
  }

  /** As the API shows it. */
  present(): object {
    const { received = 0, duplicate = 0, delivered = 0, retried = 0 } = this.#sums
    const { entered = 0, left = 0 } = this.#sums
    return {
      at: formatTimestamp(this.#at),
      received,
      refused: this.#refused,
      duplicates: duplicate,
      filtered: this.#filtered,
      delivered,
      failed: this.#failed,
      attempts: this.#attempts,
      retried,
      entered,
      left,
      unlinked: this.#unlinked,
      pending: this.#pending.size === 0 ? null : this.#meanPending(),
      latencyMs: this.latencyMs(),
    }
  }

  /** Quantiles of the time from receipt to delivery; `null` if nothing was delivered. */
  latencyMs(): { readonly p50: number; readonly p95: number; readonly p99: number } | null {
    if (this.#latency.size === 0) return null
    const rounded = (quantile: number): number => Math.round(quantileOf(this.#latency, quantile)!)
    return { p50: rounded(0.5), p95: rounded(0.95), p99: rounded(0.99) }
  }

  #addMember(group: string, member: string, count: number, destinationId: string): void {
    if (group === 'refused') add(this.#refused, member, count)
    else if (group === 'filtered') add(this.#filtered, member, count)
    else if (group === 'failed') add(this.#failed, member, count)
    else if (group === 'attempts') add(this.#attempts, member, count)
    else if (group === 'unlinked') add(this.#unlinked, member, count)
    else if (group === 'latency') {
      this.#latency.set(Number(member), (this.#latency.get(Number(member)) ?? 0) + count)
    } else if (group === 'pending') this.#addPending(member, count, destinationId)
  }

  #addPending(member: string, count: number, destinationId: string): void {
    const pending = this.#pending.get(destinationId) ?? { sum: 0, samples: 0 }
    if (member === 'sum') pending.sum += count
    else pending.samples += count
    this.#pending.set(destinationId, pending)
  }

  #meanPending(): number {
    const means = [...this.#pending.values()].map(({ sum, samples }) => sum / Math.max(1, samples))
    return means.reduce((total, mean) => total + mean, 0)
  }
}

function add(counts: Counts, name: string, count: number): void {
  counts[name] = (counts[name] ?? 0) + count
}
