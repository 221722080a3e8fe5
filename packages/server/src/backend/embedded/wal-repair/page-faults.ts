import {
  bytesInPage,
  FILE_HEADER_BYTES,
  INDEX_INTERIOR,
  INDEX_LEAF,
  TABLE_INTERIOR,
  TABLE_LEAF,
} from '../file-format/b-tree-format.ts'
import { recordFaults } from './record-faults.ts'
import { readVarint } from './varint.ts'

interface Cell {
  readonly from: number
  readonly to: number
  readonly rowId: number | undefined
  readonly faults: number
}

/**
 * How many things in a page cannot be right: cells outside of it or over one another, rows out of order, values longer than
 * their row, text that is none. 0 for pages that are not of a b-tree: of them, anything can be right. The format is described on
 * https://sqlite.org/fileformat2.html.
 */
export function faultsOf(data: Buffer, page: number): number {
  const start = page === 1 ? FILE_HEADER_BYTES : 0
  const kind = data[start]!
  if (![INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF].includes(kind)) return 0
  const cells = cellsOf(data, start, kind)
  if (cells === undefined) return 1_000
  const content = data.readUInt16BE(start + 5) || 65_536
  const free = freeBlocksOf(data, start)
  const parts = [...cells, ...free].toSorted((a, b) => a.from - b.from)
  const bytes = parts.reduce((sum, { from, to }) => sum + to - from, data[start + 7]!)
  return [
    // Cells, free blocks and fragments fill the page from the first cell to the end.
    bytes !== data.length - content,
    parts.some(({ from, to }) => from < content || to > data.length),
    parts.some(({ from }, index) => index > 0 && from < parts[index - 1]!.to),
    cells.some(
      ({ rowId }, index) => index > 0 && rowId !== undefined && rowId <= cells[index - 1]!.rowId!,
    ),
  ].reduce(
    (sum, isFault) => sum + Number(isFault) * 100,
    cells.reduce((sum, each) => sum + each.faults, 0),
  )
}

function cellsOf(data: Buffer, start: number, kind: number): Cell[] | undefined {
  const pointers = start + (kind === INDEX_INTERIOR || kind === TABLE_INTERIOR ? 12 : 8)
  const count = data.readUInt16BE(start + 3)
  const first = pointers + 2 * count
  if (first > data.length) return undefined
  const cells: Cell[] = []
  for (let index = 0; index < count; index++) {
    const at = data.readUInt16BE(pointers + 2 * index)
    if (at < first || at > data.length - 4) return undefined
    cells.push(cellAt(data, at, kind))
  }
  return cells
}

function cellAt(data: Buffer, from: number, kind: number): Cell {
  const isInterior = kind === INDEX_INTERIOR || kind === TABLE_INTERIOR
  let at = from + (isInterior ? 4 : 0)
  let payloadBytes = 0
  let rowId: number | undefined
  if (kind !== TABLE_INTERIOR) [payloadBytes, at] = readVarint(data, at)
  if (kind === TABLE_LEAF || kind === TABLE_INTERIOR) [rowId, at] = readVarint(data, at)
  if (kind === TABLE_INTERIOR) return { from, to: Math.max(at, from + 4), rowId, faults: 0 }
  const local = bytesInPage(payloadBytes, data.length, kind === TABLE_LEAF)
  const to = Math.max(at + local + (local < payloadBytes ? 4 : 0), from + 4)
  const faults = to > data.length ? 100 : recordFaults(data.subarray(at, at + local), payloadBytes)
  return { from, to, rowId, faults }
}

function freeBlocksOf(data: Buffer, start: number): { from: number; to: number }[] {
  const blocks: { from: number; to: number }[] = []
  let at = data.readUInt16BE(start + 1)
  // They are in the order of their places: a circle ends, too.
  while (at > (blocks.at(-1)?.from ?? 0) && at <= data.length - 4) {
    blocks.push({ from: at, to: at + data.readUInt16BE(at + 2) })
    at = data.readUInt16BE(at)
  }
  return blocks
}
