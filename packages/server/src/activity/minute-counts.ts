import type { CountsRow } from '../backend/statistics.ts'

/** Pairs of source and destination counted apart in one minute; beyond them all go together, under none. */
const MOST_KEYS = 5_000

type Row = Pick<CountsRow, 'sourceId' | 'destinationId'> & {
  readonly counts: Record<string, number>
}

/** Counts by source, destination and name, of one minute. Bounded, however many there are. */
export class MinuteCounts {
  readonly #rows = new Map<string, Row>()

  /** Adds to a count. Zero adds nothing. */
  add(sourceId: string, destinationId: string, name: string, amount = 1): void {
    if (amount === 0) return
    const { counts } = this.#row(sourceId, destinationId)
    counts[name] = (counts[name] ?? 0) + amount
  }

  /** What was counted, a row for each pair. */
  rows(): readonly Row[] {
    return [...this.#rows.values()]
  }

  #row(sourceId: string, destinationId: string): Row {
    const key = `${sourceId} ${destinationId}`
    const there = this.#rows.get(key)
    if (there !== undefined) return there
    if (this.#rows.size >= MOST_KEYS && key !== ' ') return this.#row('', '')
    const row = { sourceId, destinationId, counts: {} }
    this.#rows.set(key, row)
    return row
  }
}
