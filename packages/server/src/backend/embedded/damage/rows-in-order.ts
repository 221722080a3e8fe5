import type { StoredRow } from './cell.ts'

/**
 * The rows of a leaf of a table with rowids, which ascend (sqlite.org/fileformat2.html §1.6). A row that is out of order has
 * another rowid than it had. Where only one fits between its neighbours, it gets that one; else it is left out, because
 * nobody knows which row it was.
 */
export function rowsInOrder(rows: readonly StoredRow[]): readonly StoredRow[] {
  const rowids = rows.map(({ rowid }) => Number(rowid))
  // So it is in nearly every page.
  if (rowids.every((rowid, index) => index === 0 || rowids[index - 1]! < rowid)) return rows
  const inOrder = longestAscending(rowids)
  const rowidAt = (index: number): number => (inOrder.has(index) ? rowids[index]! : Number.NaN)
  return rows.flatMap((row, index) => {
    if (inOrder.has(index)) return [row]
    const rowid = rowidAt(index - 1) + 1
    return rowidAt(index + 1) === rowid + 1 ? [{ ...row, rowid }] : []
  })
}

/** The places of the most numbers that ascend. A page has at most some hundred. */
function longestAscending(numbers: readonly number[]): ReadonlySet<number> {
  const chains: number[][] = []
  let longest: number[] = []
  for (const [place, number] of numbers.entries()) {
    const before = chains.reduce<number[]>(
      (best, chain, at) => (numbers[at]! < number && chain.length > best.length ? chain : best),
      [],
    )
    const chain = [...before, place]
    chains.push(chain)
    if (chain.length > longest.length) longest = chain
  }
  return new Set(longest)
}
