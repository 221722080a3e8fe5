/** What a column of a table needs. */
export interface ColumnNeed {
  /** The columns of the terminal that its longest cell takes. */
  readonly natural: number
  /** With fewer, it has no use. */
  readonly least: number
  /** Columns with a rank may be left out, the highest first. */
  readonly rank: number | undefined
}

/** Between two columns. */
export const GAP = 2

/**
 * The widths that make a table fit; `undefined` for a column that is left out. The result is `undefined` if even the
 * columns that must stay do not fit.
 */
export function fitColumns(
  needs: readonly ColumnNeed[],
  available: number,
): (number | undefined)[] | undefined {
  const widths = needs.map(({ least }): number | undefined => least)
  while (spare(widths, available) < 0) {
    const last = lastRanked(needs, widths)
    if (last < 0) return undefined
    widths[last] = undefined
  }
  for (let left = spare(widths, available); left > 0; left--) {
    const narrowest = narrowestCut(needs, widths)
    if (narrowest < 0) break
    widths[narrowest]! += 1
  }
  return widths
}

function spare(widths: readonly (number | undefined)[], available: number): number {
  const kept = widths.filter((width) => width !== undefined)
  return available + GAP - kept.reduce((sum, width) => sum + width + GAP, 0)
}

function lastRanked(needs: readonly ColumnNeed[], widths: readonly (number | undefined)[]): number {
  const rankOf = (index: number) => (widths[index] === undefined ? -1 : (needs[index]!.rank ?? -1))
  const highest = Math.max(...needs.keys().map(rankOf))
  return highest < 0 ? -1 : needs.findIndex((_, index) => rankOf(index) === highest)
}

/** The narrowest of the columns whose cells are cut. */
function narrowestCut(
  needs: readonly ColumnNeed[],
  widths: readonly (number | undefined)[],
): number {
  let narrowest = -1
  for (const [index, { natural }] of needs.entries()) {
    const width = widths[index]
    if (width === undefined || width >= natural) continue
    if (narrowest < 0 || width < widths[narrowest]!) narrowest = index
  }
  return narrowest
}
