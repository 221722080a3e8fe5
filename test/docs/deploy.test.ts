import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { exportedMetrics } from '../../docs/generator/metrics-page.ts'
import {
  type Condition,
  CONDITIONS,
  THRESHOLDS,
} from '../../packages/server/src/alerts/conditions.ts'
import { ENDPOINTS, SETTINGS_PATHS } from '../../packages/server/src/ingest/endpoints.ts'
import { LOG_EVENTS } from '../../packages/server/src/telemetry/log-events.ts'
import { skipOrFail } from '@hookline/testing/run/skip-or-fail'
import { readRepositoryFile, REPOSITORY } from '@hookline/testing/repository'

const metrics = await exportedMetrics()
const dashboard = JSON.parse(readRepositoryFile('deploy/grafana-dashboard.json')) as {
  readonly panels: readonly {
    readonly title: string
    readonly targets?: readonly { readonly expr: string }[]
  }[]
}
const panels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string; readonly condition?: string }
  readonly annotations: Readonly<Record<string, string>>
}
const { groups } = parse(readRepositoryFile('deploy/alerts.yaml')) as {
  readonly groups: readonly { readonly rules: readonly AlertRule[] }[]
}
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.map(({ expr }) => expr)

/** The metrics in an expression. A histogram is named by its series. */
const namesIn = (expr: string): string[] =>
  [...expr.matchAll(/\bhookline_\w+/g)].map(([name]) => name)

/** The names by which expressions refer to a metric. */
const seriesOf = ({ name, type }: (typeof metrics)[number]): string[] =>
  type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]

/** The labels that an expression selects or groups by. */
const labelsIn = (expr: string): string[] => [
  ...[...expr.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label!),
  ...[...expr.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(/, */),
  ),
]

describe('the proxies', () => {
  it.for(['deploy/nginx.conf', 'deploy/Caddyfile', 'docs/guides/reverse-proxy.md'])(
    'forward every path of calls, and the public keys: %s',
    (file) => {
      const text = readRepositoryFile(file)
      const lists = [...text.matchAll(/\^\/\+\(([^)]+)\)\//g)].map(([, names]) =>
        names!.split('|').map((name) => `/${name.replace('\\', '')}/`),
      )
      const inText = [...text.matchAll(/`(\/[a-z0-9/.-]+\/)`/g)].map(([, prefix]) => prefix!)
      const prefixes = lists.length > 0 ? lists.flat() : inText
      const isListed = (path: string): boolean => prefixes.some((each) => path.startsWith(each))
      const publicKeys = '/.well-known/hookline/keys/:id'
      const paths = [...ENDPOINTS.map(({ path }) => path), ...SETTINGS_PATHS, publicKeys]
      expect(paths.filter((path) => !isListed(path))).toEqual([])
      const isUsed = (prefix: string): boolean => paths.some((path) => path.startsWith(prefix))
      expect(lists.flat().filter((prefix) => !isUsed(prefix))).toEqual([])
    },
  )
})

describe('the metrics', () => {
  it('include the promised names', () => {
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

describe('alert conditions', () => {
  const SEVERITIES = { data_loss: 'critical', failing: 'warning', attention: 'warning' } as const
  /** Conditions whose rules name the destination, or use a metric with more details. */
  const OWN_RULES = ['webhook_failing', 'webhook_paused', 'damage_found', 'quarantine']
  const alerting = Object.entries<Condition>(CONDITIONS).filter(([, { events }]) => events !== null)

  it.each(alerting)('%s has a rule with its severity, threshold, text and remedy', (name, each) => {
    const found = rules.filter(({ labels }) => labels.condition === name)
    const severity = SEVERITIES[each.severity]
    expect(found.map(({ labels }) => labels)).toEqual([{ severity, condition: name }])
    if (OWN_RULES.includes(name)) return
    const alert = `Hookline${each.events!.start.replaceAll(' ', '')}`
    expect(found).toEqual([
      {
        alert,
        expr: `max by (instance) (hookline_problems{condition="${name}"}) > 0`,
        labels: { severity, condition: name },
        annotations: {
          summary: each.meaning,
          description: `${each.threshold} ${each.remedy}`,
          runbook_url: `docs/guides/runbook.md#${alert.toLowerCase()}`,
        },
      },
    ])
  })

  it('the rule about failing destinations has the threshold of the table', () => {
    const rule = rules.find(({ labels }) => labels.condition === 'webhook_failing')
    expect(rule!.expr).toMatch(new RegExp(`> ${1 - THRESHOLDS.minSuccessRate}$`))
  })
})

describe.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (name, rule) => {
  const { summary = '', description = '', runbook_url: runbook } = rule.annotations
  const text = summary + description

  it('explains its meaning and the remedy, and links to the runbook', () => {
    expect(summary).toMatch(/\.$/)
    expect(description).toMatch(/\.$/)
    expect(['warning', 'critical']).toContain(rule.labels.severity)
    expect(runbook).toBe(`docs/guides/runbook.md#${name.toLowerCase()}`)
  })

  it('uses only labels that its expression has', () => {
    const used = [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label)
    const grouped = labelsIn(rule.expr)
    const own = metrics.flatMap((metric) => (rule.expr.includes(metric.name) ? metric.labels : []))
    const has = / by \(/.test(rule.expr) ? grouped : own
    expect(used.filter((label) => !has.includes(label!))).toEqual([])
  })

  it('names the destination, if it is about one', () => {
    if (!rule.expr.includes('hookline_destination_')) return
    expect(summary).toContain('{{ $labels.name }}')
    expect(description).toContain('{{ $labels.source }}')
    expect(description).toContain('{{ $labels.destination }}')
  })

  it('names only log events that exist', () => {
    const named = [...text.matchAll(/log line `([\w.]+)`/g)].map(([, event]) => event)
    expect(named.filter((event) => !Object.hasOwn(LOG_EVENTS, event!))).toEqual([])
  })
})

it('the alerts fire with the expected texts', ({ skip }) => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
  } catch {
    return skipOrFail('promtool', 'HOOKLINE_REQUIRE_PROMTOOL', skip)
  }
  const result = execFileSync('promtool', ['test', 'rules', 'alerts.test.yaml'], {
    cwd: join(REPOSITORY, 'deploy'),
    encoding: 'utf8',
  })
  expect(result).toContain('SUCCESS')
})
