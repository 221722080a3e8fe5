import type { CountsRow } from '../backend/statistics.ts'
import { PairMap } from '../util/pair-map.ts'

/** The most pairs of source and destination in one minute. All further pairs are counted together, under empty ids. */
const MOST_KEYS = 5_000

type Row = Pick<CountsRow, 'sourceId' | 'destinationId'> & {
  readonly counts: Record<string, number>
}

/** The counts of one minute, by source, destination and name. Their number is bounded. */
export class MinuteCounts {
  readonly #rows = new PairMap<Row>()

  /** Adds to a count. Adding zero creates no row. */
  add(sourceId: string, destinationId: string, name: string, amount = 1): void {
    if (amount === 0) return
    const { counts } = this.#row(sourceId, destinationId)
    counts[name] = (counts[name] ?? 0) + amount
  }

  /** The counts, one row for each pair. */
  rows(): readonly Row[] {
    return [...this.#rows.values()]
  }

  #row(sourceId: string, destinationId: string): Row {
    const existing = this.#rows.get(sourceId, destinationId)
    if (existing !== undefined) return existing
    const isCommon = sourceId === '' && destinationId === ''
    if (this.#rows.size >= MOST_KEYS && !isCommon) return this.#row('', '')
    const row = { sourceId, destinationId, counts: {} }
    this.#rows.set(sourceId, destinationId, row)
    return row
  }
}
