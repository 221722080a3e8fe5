import type { ManagementApi } from '../api/management-api.ts'
import { formatCount } from './figures.ts'
import { nameColumns, type Names } from './names.ts'
import type { Output } from './output.ts'
import { type Column, table } from './table.ts'

type Statistics = Awaited<ReturnType<ManagementApi['getStatistics']>>
type Point = Statistics['points'][number]

export const SERIES_OF = ['destination', 'source'] as const
export type SeriesOf = (typeof SERIES_OF)[number]

/** The totals of a destination or a source. */
interface Summary {
  readonly id: string
  readonly received: number
  readonly delivered: number
  readonly retried: number
  readonly failed: number
  /** The most recent count. */
  readonly pending: number | null
  /** The p95 in the slowest step. */
  readonly p95: number | null
  /** One character for each of the last steps. */
  readonly plot: string
}

const MAX_PLOTTED = 60

export function seriesText(
  output: Output,
  { from, to, series = [] }: Statistics,
  { by, names }: { readonly by: SeriesOf; readonly names: Names },
): string {
  if (series.length === 0) return `No ${by}s to show.`
  const items = series.map(({ id, points }) => summaryOf(id, points, by))
  const columns = [...nameColumns(by, ({ id }: Summary) => id, { names, items }), ...COLUMNS]
  const plotted = by === 'source' ? 'received' : 'delivered'
  return `${table(output, columns, items)}\n${from} to ${to}. The plot shows ${plotted} events.`
}

function summaryOf(id: string, points: readonly Point[], by: SeriesOf): Summary {
  const total = (countOf: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + countOf(point), 0)
  const p95s = points.flatMap(({ latencyMs }) => latencyMs?.p95 ?? [])
  const plotted = points.map(({ received, delivered }) => (by === 'source' ? received : delivered))
  return {
    id,
    received: total(({ received }) => received),
    delivered: total(({ delivered }) => delivered),
    retried: total(({ retried }) => retried),
    failed: total(({ failed }) => Object.values(failed).reduce((sum, each) => sum + each, 0)),
    pending: points.findLast(({ pending }) => pending !== null)?.pending ?? null,
    p95: p95s.length === 0 ? null : Math.max(...p95s),
    plot: plotOf(plotted.slice(-MAX_PLOTTED)),
  }
}

const BARS = '▁▂▃▄▅▆▇█'

/** `▁▁▄█`, with a space for zero. */
function plotOf(counts: readonly number[]): string {
  const max = Math.max(...counts, 1)
  return counts
    .map((count) => (count === 0 ? ' ' : BARS[Math.ceil((count / max) * BARS.length) - 1]))
    .join('')
    .trimEnd()
}

const COLUMNS: readonly Column<Summary>[] = [
  { head: 'received', cell: ({ received }) => formatCount(received), rank: 2 },
  { head: 'delivered', cell: ({ delivered }) => formatCount(delivered) },
  { head: 'retried', cell: ({ retried }) => formatCount(retried), rank: 3 },
  { head: 'failed', cell: ({ failed }) => formatCount(failed) },
  { head: 'pending', cell: ({ pending }) => (pending === null ? '' : formatCount(pending)) },
  { head: 'slowest p95', cell: ({ p95 }) => (p95 === null ? '' : `${p95} ms`), rank: 1 },
  { head: 'plot', cell: ({ plot }) => plot, rank: 4 },
]
