import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { CountsRow } from '../../backend/statistics.ts'
import { StatisticsPoint } from './statistics-point.ts'

/** The span of time that the points of a series cover. */
export interface SeriesRange {
  readonly from: number
  readonly stepMs: number
  /** The number of points. */
  readonly count: number
}

/** Points at equal steps, with the rows that are added to them. */
export class StatisticsSeries {
  readonly #range: SeriesRange
  readonly #points: readonly StatisticsPoint[]

  constructor(range: SeriesRange) {
    this.#range = range
    const { from, stepMs, count } = range
    this.#points = Array.from({ length: count }, (_, at) => new StatisticsPoint(from + at * stepMs))
  }

  add(row: CountsRow): void {
    const { from, stepMs } = this.#range
    this.#points[Math.floor((row.start - from) / stepMs)]?.add(row)
  }

  present(): object[] {
    return this.#points.map((point) => point.present())
  }
}

/** What the series are of. */
export type Grouping = 'source' | 'destination'

/** The ids of the sources or destinations that have a series each: those that exist, and are selected. */
export function seriesIds(
  by: Grouping,
  { sources, destinations }: CatalogSnapshot,
  selected: { readonly sourceId?: string; readonly destinationId?: string },
): string[] {
  const { destinationId, sourceId = destinations.get(destinationId ?? '')?.sourceId } = selected
  const isSelected = (id: string, wanted: string | undefined): boolean =>
    wanted === undefined || id === wanted
  if (by === 'source') return [...sources.keys()].filter((id) => isSelected(id, sourceId))
  return [...destinations.values()]
    .filter((each) => isSelected(each.sourceId, sourceId) && isSelected(each.id, destinationId))
    .map(({ id }) => id)
}

/** The ids of the series that a row belongs to. What a source received counts for each of its destinations. */
export function seriesOf(
  { sourceId, destinationId }: CountsRow,
  by: Grouping,
  { destinationsBySource }: CatalogSnapshot,
): readonly string[] {
  if (by === 'source') return [sourceId]
  if (destinationId !== '') return [destinationId]
  return (destinationsBySource.get(sourceId) ?? []).map(({ id }) => id)
}
