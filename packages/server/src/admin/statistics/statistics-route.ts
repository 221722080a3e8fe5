import { formatTimestamp } from '@hookline/protocol'
import type { CountsRow } from '../../backend/statistics.ts'
import { type Fault, fault } from '../../util/fault.ts'
import type { AdminApp } from '../api/admin-app.ts'
import type { AdminDeps } from '../api/admin-deps.ts'
import { Problem } from '../problems/problem.ts'
import { MAX_SERIES_POINTS, statisticsSchema } from './statistics-schema.ts'
import { type Grouping, seriesIds, seriesOf, StatisticsSeries } from './statistics-series.ts'
import { type StepName, STEPS } from './statistics-steps.ts'
import { parseTimeRange } from '../api/time-range.ts'

const MAX_POINTS = 1_500
const DEFAULT_POINTS = 60

interface Query {
  readonly from?: string
  readonly to?: string
  readonly step?: StepName
  readonly sourceId?: string
  readonly destinationId?: string
  readonly by?: Grouping
}

/** `/stats`: counts over time. */
export function addStatisticsRoute(app: AdminApp, deps: AdminDeps): void {
  app.get('/stats', { schema: statisticsSchema }, async ({ query }) => {
    const step = STEPS[query.step ?? '1m']
    const { from, to } = rangeOf(query, step.ms, deps.clock.wall())
    const { by } = query
    const catalog = deps.catalog.current
    const range = { from, stepMs: step.ms, count: Math.max(0, Math.ceil((to - from) / step.ms)) }
    const ids = by === undefined ? [] : seriesIds(by, catalog, query)
    refuseTooMany(ids.length * range.count)
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
        if (by === undefined) continue
        for (const id of seriesOf(row, by, catalog)) series.get(id)?.add(row)
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

/** Which rows to read. For a destination also the rows of its source, which count the received calls. */
function scopeOf(
  { sourceId, destinationId }: Query,
  { catalog }: AdminDeps,
): { readonly sourceId?: string; readonly destinationId?: string } {
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

/** Whole steps that cover the requested range, up to now; by default the last 60 steps. */
function rangeOf(query: Query, stepMs: number, now: number): { from: number; to: number } {
  const asked = parseTimeRange(query)
  const past = (ms: number): number => Math.min(Math.max(ms, 0), now + stepMs)
  const to = Math.ceil(past(asked.to ?? now) / stepMs) * stepMs
  const since = past(asked.from ?? to - DEFAULT_POINTS * stepMs)
  const from = Math.floor(since / stepMs) * stepMs
  if ((to - from) / stepMs <= MAX_POINTS) return { from, to }
  throw tooMany(
    `The range has more than ${MAX_POINTS} points.`,
    'Use a longer step or a shorter range.',
  )
}

function refuseTooMany(points: number): void {
  if (points <= MAX_SERIES_POINTS) return
  const message = `All series together have ${points} points. The most are ${MAX_SERIES_POINTS}.`
  throw tooMany(message, 'Use a longer step or a shorter range, or give sourceId.')
}

function tooMany(message: string, hint: string): Problem {
  const faults: Fault[] = [fault('/step', 'out_of_range', message, hint)]
  return new Problem('invalid_query', { faults })
}
