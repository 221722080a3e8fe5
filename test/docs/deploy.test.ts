import { describe, expect, it } from 'vitest'
import { exportedMetrics } from '../../docs/metrics-page.ts'
import { read } from './repository.ts'

const metrics = await exportedMetrics()
const dashboard = JSON.parse(read('deploy/grafana-dashboard.json')) as {
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}
const panels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const alerts = [...read('deploy/alerts.yaml').matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr!)

/** The names of the metrics in an expression. Of a histogram, these are its series. */
const namesIn = (expr: string): string[] =>
  [...expr.matchAll(/\bhookline_\w+/g)].map(([name]) => name)

/** The series of a metric, as expressions name them. */
const seriesOf = ({ name, type }: (typeof metrics)[number]): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]

/** Labels that an expression selects or groups by. */
const labelsIn = (expr: string): string[] => [
  ...[...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!),
  ...[...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/, */)),
]

describe('the metrics', () => {
  it('have the names in the requirements', () => {
    const promised = `
      ingest_requests_total ingest_events_total ingest_duration_seconds decisions_total attempts_total
      attempt_duration_seconds end_to_end_seconds deliveries oldest_pending_seconds breaker_open inflight
      log_commit_seconds accounting_imbalance build_info`
    const names = metrics.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(promised.match(/\w+/g)!.map((each) => `hookline_${each}`)),
    )
  })
})

describe.each([
  ['deploy/alerts.yaml', alerts],
  ['deploy/grafana-dashboard.json', panels],
])('%s', (_file, expressions) => {
  it('uses only metrics and labels that exist', () => {
    expect(expressions.length).toBeGreaterThan(8)
    const series = metrics.flatMap(seriesOf)
    const labels = [...metrics.flatMap((metric) => metric.labels), 'instance', 'le']
    expect(expressions.flatMap(namesIn).filter((name) => !series.includes(name))).toEqual([])
    expect(expressions.flatMap(labelsIn).filter((label) => !labels.includes(label))).toEqual([])
  })
})

it('the dashboard shows every metric', () => {
  const shown = new Set(panels.flatMap(namesIn))
  const isShown = (metric: (typeof metrics)[number]) =>
    seriesOf(metric).some((name) => shown.has(name))
  const missing = metrics.filter((metric) => !isShown(metric)).map(({ name }) => name)
  // An annotation shows the version on every panel.
  expect(missing).toEqual(['hookline_build_info'])
})
