import { duration } from '../format/figures.ts'
import type { StatisticsPoint } from './statistics.ts'

export interface Totals {
  readonly received: number
  readonly rejected: number
  readonly delivered: number
  readonly retried: number
  readonly failed: number
  readonly declined: number
}

export function totalsOf(points: readonly StatisticsPoint[]): Totals {
  const sum = (value: (point: StatisticsPoint) => number): number =>
    points.reduce((total, point) => total + value(point), 0)
  return {
    received: sum(({ received }) => received),
    rejected: sum(({ rejected }) => sumOf(rejected)),
    delivered: sum(({ delivered }) => delivered),
    retried: sum(({ retried }) => retried),
    failed: sum(({ failed }) => sumOf(failed)),
    declined: sum(({ declined }) => sumOf(declined)),
  }
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

const MINUTE_MS = 60_000

/** The mean rate in the current and the previous minute, so that pauses between bursts do not matter. One point per minute. */
export function receivedPerSecond(points: readonly StatisticsPoint[], now: number): number | null {
  const [before, current] = points.slice(-2)
  if (before === undefined || current === undefined) return null
  // The browser's clock may differ from the service's.
  const elapsedMs = Math.max(0, Math.min(MINUTE_MS, now - Date.parse(current.at)))
  return (before.received + current.received) / ((MINUTE_MS + elapsedMs) / 1_000)
}

/** The p95 of the delivery time in milliseconds, estimated as the mean of the points, weighted by their deliveries. */
export function p95Of(points: readonly StatisticsPoint[]): number | null {
  const measured = points.filter(({ latencyMs }) => latencyMs !== null)
  const delivered = measured.reduce((total, point) => total + point.delivered, 0)
  if (delivered === 0) return null
  return (
    measured.reduce((sum, { latencyMs, ...point }) => sum + latencyMs!.p95 * point.delivered, 0) /
    delivered
  )
}

/** `about 840 ms` */
export function describeP95(p95: number | null): string {
  return p95 === null ? '–' : `about ${duration(Math.max(1, p95))}`
}

/** The mean number of pending deliveries; `null` if it was not measured. */
export function meanPendingOf(points: readonly StatisticsPoint[]): number | null {
  const measured = points.flatMap(({ pending }) => pending ?? [])
  if (measured.length === 0) return null
  return measured.reduce((total, pending) => total + pending, 0) / measured.length
}
