import type { Series } from '../../../design/figures/plot.tsx'
import type { StatisticsPoint } from '../../../domain/statistics.ts'
import { sumOf } from '../../../domain/totals.ts'

type Points = readonly StatisticsPoint[]

export function outcomeSeries(points: Points): Series[] {
  return [
    { label: 'Delivered', color: 'delivered', values: points.map((each) => each.delivered) },
    { label: 'Retried', color: 'retrying', values: points.map((each) => each.retried) },
    { label: 'Failed', color: 'failed', values: points.map((each) => sumOf(each.failed)) },
  ]
}

export function latencySeries(points: Points): Series[] {
  return (
    [
      ['p50', 'delivered'],
      ['p95', 'accent'],
      ['p99', 'retrying'],
    ] as const
  ).map(([name, color]) => ({
    label: name,
    color,
    values: points.map(({ latencyMs }) => latencyMs?.[name] ?? null),
  }))
}

/** What a receiver can answer, from good to bad, with the words for it. */
const ANSWERS = [
  ['2xx', '2xx', 'delivered'],
  ['3xx', '3xx', 'declined'],
  ['4xx', '4xx', 'failed'],
  ['5xx', '5xx', 'retrying'],
  ['no_response', 'No response', 'held'],
] as const

export function answerSeries(points: Points): Series[] {
  return ANSWERS.map(([key, label, color]) => ({
    label,
    color,
    values: points.map(({ attempts }) => attempts[key] ?? 0),
  }))
}
