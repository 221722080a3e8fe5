import { duration } from '../format/figures.ts'
import type { StatisticsPoint } from './statistics.ts'

/** What happened in a span of time. */
export interface Totals {
  readonly received: number
  readonly refused: number
  readonly delivered: number
  readonly retried: number
  /** Deliveries that ended undelivered. */
  readonly failed: number
  readonly declined: number
}

/** The sums of some points. */
export function totalsOf(points: readonly StatisticsPoint[]): Totals {
  const sum = (value: (point: StatisticsPoint) => number): number =>
    points.reduce((total, point) => total + value(point), 0)
  return {
    received: sum(({ received }) => received),
    refused: sum(({ refused }) => sumOf(refused)),
    delivered: sum(({ delivered }) => delivered),
    retried: sum(({ retried }) => retried),
    failed: sum(({ failed }) => sumOf(failed)),
    declined: sum(({ filtered }) => sumOf(filtered)),
  }
}

/** The sum of counts by name. */
export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

/**
 * How long 95 % of the deliveries of some points took at most, in milliseconds; `null` if nothing was delivered. The quantiles of
 * points cannot be added up: it is their mean, weighted with the deliveries of each.
 */
export function p95Of(points: readonly StatisticsPoint[]): number | null {
  const measured = points.filter(({ latencyMs }) => latencyMs !== null)
  const delivered = measured.reduce((total, point) => total + point.delivered, 0)
  if (delivered === 0) return null
  return (
    measured.reduce((sum, { latencyMs, ...point }) => sum + latencyMs!.p95 * point.delivered, 0) /
    delivered
  )
}

/** `about 840 ms`: what `p95Of` says is an estimate. */
export function p95InWords(p95: number | null): string {
  return p95 === null ? '–' : `about ${duration(Math.max(1, p95))}`
}

/** How many deliveries were pending on average; `null` where that was not measured. */
export function meanPendingOf(points: readonly StatisticsPoint[]): number | null {
  const measured = points.flatMap(({ pending }) => pending ?? [])
  if (measured.length === 0) return null
  return measured.reduce((total, pending) => total + pending, 0) / measured.length
}
