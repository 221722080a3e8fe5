import { formatTimestamp } from '@hookline/protocol'
import Type, { type Static } from 'typebox'
import type { Catalog, CatalogSnapshot } from '../backend/catalog.ts'
import { type CountsRow, type Span, SPANS, type Statistics } from '../backend/statistics.ts'
import { fieldError } from '../util/field-error.ts'
import { quantileOf } from '../util/histogram.ts'
import type { Clock } from '../util/time/clock.ts'
import type { AdminApp } from './api/admin-app.ts'
import { parseTimeRange } from './api/list.ts'
import * as Schema from './api/schema.ts'
import { Problem } from './problems/problem.ts'

interface Step {
  readonly ms: number
  /** The time span of its rows. */
  readonly span: Span
}

const steps = (span: Span, count: number): Step => ({ ms: SPANS[span] * count, span })

const STEPS = {
  '1m': steps('minute', 1),
  '5m': steps('minute', 5),
  '15m': steps('minute', 15),
  '1h': steps('hour', 1),
  '6h': steps('hour', 6),
  '1d': steps('hour', 24),
} as const satisfies Record<string, Step>

/** The maximum number of points in all series together. */
const MAX_SERIES_POINTS = 10_000

const countsField = (description: string) =>
  Type.Record(Type.String(), Type.Integer(), { description })

const PointResponse = Type.Object(
  {
    at: Schema.time,
    received: Schema.integer('Accepted calls, including duplicates.'),
    rejected: countsField(
      'Rejected calls, by code. Dropped calls for suppressed users have the key suppressed. Calls without a valid write key are not counted for any source.',
    ),
    duplicates: Schema.integer('Dropped duplicates.'),
    declined: countsField('Declined events, by reason.'),
    delivered: Type.Integer(),
    failed: countsField('Deliveries that failed, by state.'),
    attempts: countsField('Attempts, by HTTP status class (2xx to 5xx) or no_response.'),
    retried: Schema.integer('Attempts with the outcome retry.'),
    entered: Schema.integer(
      'Profiles that entered an audience, or for which a computed trait was set or changed.',
    ),
    left: Schema.integer(
      'Profiles that left an audience, or for which a computed trait was removed.',
    ),
    unlinked: countsField(
      "Ids not linked to their call's userId, by reason: other_user, limit, placeholder.",
    ),
    pending: Schema.nullable(
      Type.Number({ description: 'The average number of pending deliveries.' }),
    ),
    latencyMs: Schema.nullable(
      Type.Object(
        { p50: Type.Number(), p95: Type.Number(), p99: Type.Number() },
        {
          description:
            'From receipt to delivery, without replays, to within 5%; null if nothing was delivered.',
        },
      ),
    ),
  },
  { $id: 'StatisticsPoint' },
)

const pointsField = Type.Array(Schema.ref(PointResponse))

const StatisticsQuery = Type.Object(
  {
    ...Schema.timeRange,
    step: Type.Optional(
      Schema.oneOf(
        Object.keys(STEPS) as (keyof typeof STEPS)[],
        `One of ${Object.keys(STEPS).join(', ')}; 1m if absent.`,
      ),
    ),
    sourceId: Type.Optional(
      Schema.text('The id of a source; for entered and left, of an audience or computed trait.'),
    ),
    destinationId: Type.Optional(
      Schema.text('Counts for this destination, and received calls for its source.'),
    ),
    by: Type.Optional(
      Schema.oneOf(
        ['source', 'destination'],
        `Adds a series for each source or destination, with at most ${MAX_SERIES_POINTS} points in total.`,
      ),
    ),
  },
  Schema.strict,
)

type Query = Static<typeof StatisticsQuery>

const schema = {
  ...Schema.operationsTagged('Statistics').viewer(
    'getStatistics',
    'Shows counts over time: received, rejected, declined, delivered, failed, attempts, entered, left, pending, latency',
  ),
  isLongRead: true,
  description:
    'pending is counted at the end of each minute. Steps below an hour are available for 7 days, all others for 400 days.',
  querystring: StatisticsQuery,
  response: Schema.ok(
    'One point for each step.',
    Type.Object({
      from: Schema.time,
      to: Schema.time,
      stepMs: Type.Integer(),
      points: pointsField,
      series: Type.Optional(
        Type.Array(Type.Object({ id: Type.String(), points: pointsField }), {
          description: 'With by: the points for each selected source or destination.',
        }),
      ),
    }),
  ),
}

interface StatisticsDeps {
  /** Includes unwritten counts. */
  readonly statistics: Pick<Statistics, 'read'>
  readonly catalog: Pick<Catalog, 'current'>
  readonly clock: Clock
}

const MAX_POINTS = 1_500
const DEFAULT_POINTS = 60

/** `/stats`: counts over time. */
export function addStatisticsRoute(app: AdminApp, deps: StatisticsDeps): void {
  app.get('/stats', { schema }, async ({ query }) => {
    const step = STEPS[query.step ?? '1m']
    const { from, to } = rangeOf(query, step.ms, deps.clock.wall())
    const { by } = query
    const catalog = deps.catalog.current
    const range = { from, stepMs: step.ms, count: Math.max(0, Math.ceil((to - from) / step.ms)) }
    const ids = by === undefined ? [] : selectedIds(by, catalog, query)
    requireAtMost(MAX_SERIES_POINTS, ids.length * range.count)
    const all = new StatisticsSeries(range)
    const series = new Map(ids.map((id) => [id, new StatisticsSeries(range)]))
    for await (const rows of deps.statistics.read({
      span: step.span,
      from,
      to,
      stepMs: step.ms,
      ...scopeOf(query, deps),
    })) {
      for (const row of rows.filter((each) => isRequested(each, query))) {
        all.add(row)
        const seriesIds = by === undefined ? [] : seriesOf(row, by, catalog)
        for (const id of seriesIds) series.get(id)?.add(row)
      }
    }
    return {
      from: formatTimestamp(from),
      to: formatTimestamp(to),
      stepMs: step.ms,
      points: all.present(),
      ...(by && { series: [...series].map(([id, one]) => ({ id, points: one.present() })) }),
    }
  })
}

/** The rows to read. For a destination, all rows of its source: received calls are counted there. */
function scopeOf({ sourceId, destinationId }: Query, { catalog }: StatisticsDeps) {
  if (sourceId !== undefined) return { sourceId }
  if (destinationId === undefined) return {}
  const destination = catalog.current.destinations.get(destinationId)
  return destination === undefined ? { destinationId } : { sourceId: destination.sourceId }
}

function isRequested(row: CountsRow, { destinationId }: Query): boolean {
  return (
    destinationId === undefined || row.destinationId === '' || row.destinationId === destinationId
  )
}

/** Whole steps that cover the requested range, up to now; by default, the last 60 steps. */
function rangeOf(query: Query, stepMs: number, now: number): { from: number; to: number } {
  const requested = parseTimeRange(query)
  const past = (ms: number): number => Math.min(Math.max(ms, 0), now + stepMs)
  const to = Math.ceil(past(requested.to ?? now) / stepMs) * stepMs
  const since = past(requested.from ?? to - DEFAULT_POINTS * stepMs)
  const from = Math.floor(since / stepMs) * stepMs
  requireAtMost(MAX_POINTS, (to - from) / stepMs)
  return { from, to }
}

function requireAtMost(max: number, points: number): void {
  if (points <= max) return
  const message = `The query would return ${points} points; the maximum is ${max}.`
  const hint = 'Use a longer step, a shorter range, or sourceId.'
  throw new Problem('invalid_query', {
    errors: [fieldError('/step', 'out_of_range', message, hint)],
  })
}

/** Points at equal steps. */
class StatisticsSeries {
  readonly #from: number
  readonly #stepMs: number
  readonly #points: readonly StatisticsPoint[]

  constructor({ from, stepMs, count }: { from: number; stepMs: number; count: number }) {
    this.#from = from
    this.#stepMs = stepMs
    this.#points = Array.from({ length: count }, (_, at) => new StatisticsPoint(from + at * stepMs))
  }

  add(row: CountsRow): void {
    this.#points[Math.floor((row.start - this.#from) / this.#stepMs)]?.add(row)
  }

  present(): object[] {
    return this.#points.map((point) => point.present())
  }
}

type Counts = Record<string, number>

const NO_COUNTS = { received: 0, delivered: 0, retried: 0, entered: 0, left: 0 }

/** One point: the sum of the rows in its time span. */
export class StatisticsPoint {
  readonly #at: number
  readonly #sums: Counts = {}
  /** Counts by code, reason, state or class. */
  readonly #groups: Readonly<Record<string, Counts>> = {
    rejected: {},
    declined: {},
    failed: {},
    attempts: {},
    unlinked: {},
  }
  readonly #latency = new Map<number, number>()
  /** Samples of pending deliveries by destination. `pending` is the sum of the destinations' means. */
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

  present(): object {
    const { duplicate: duplicates = 0, ...sums } = this.#sums
    return {
      at: formatTimestamp(this.#at),
      ...NO_COUNTS,
      ...sums,
      duplicates,
      ...this.#groups,
      pending: this.#pending.size === 0 ? null : this.#meanPending(),
      latencyMs: this.latencyMs(),
    }
  }

  /** Quantiles from receipt to delivery; `null` without deliveries. */
  latencyMs(): { readonly p50: number; readonly p95: number; readonly p99: number } | null {
    if (this.#latency.size === 0) return null
    const rounded = (quantile: number): number => Math.round(quantileOf(this.#latency, quantile)!)
    return { p50: rounded(0.5), p95: rounded(0.95), p99: rounded(0.99) }
  }

  #addMember(group: string, member: string, count: number, destinationId: string): void {
    const counts = this.#groups[group]
    const bucket = Number(member)
    if (counts) add(counts, member, count)
    else if (group === 'latency')
      this.#latency.set(bucket, (this.#latency.get(bucket) ?? 0) + count)
    else if (group === 'pending') this.#addPending(member, count, destinationId)
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

type Grouping = 'source' | 'destination'

/** The selected sources or destinations. */
function selectedIds(
  by: Grouping,
  { sources, destinations }: CatalogSnapshot,
  { destinationId, sourceId = destinations.get(destinationId ?? '')?.sourceId }: Query,
): string[] {
  const isSelected = (id: string, selected = id): boolean => id === selected
  if (by === 'source') return [...sources.keys()].filter((id) => isSelected(id, sourceId))
  return [...destinations.values()]
    .filter((each) => isSelected(each.sourceId, sourceId) && isSelected(each.id, destinationId))
    .map(({ id }) => id)
}

/** The series of a row. A source's received calls count for each of its destinations. */
function seriesOf(
  { sourceId, destinationId }: CountsRow,
  by: Grouping,
  { destinationsBySource }: CatalogSnapshot,
): readonly string[] {
  if (by === 'source') return [sourceId]
  if (destinationId !== '') return [destinationId]
  return (destinationsBySource.get(sourceId) ?? []).map(({ id }) => id)
}
