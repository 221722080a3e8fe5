import {
  FILE_HEADER_BYTES,
  INDEX_INTERIOR,
  INDEX_LEAF,
  TABLE_INTERIOR,
  TABLE_LEAF,
} from '../file-format/b-tree-format.ts'
import { Cell, type StoredRow } from './cell.ts'
import type { Pages } from './pages.ts'
import { rowsInOrder } from './rows-in-order.ts'

/** `rowid`: of a table with rowids. `index`: of a table WITHOUT ROWID, or of an index. */
export type Kind = 'rowid' | 'index'

interface Child {
  readonly page: number
  /** The last rowid that may be below it; `undefined` where that is not known. */
  readonly through?: number | bigint
}

/** What a page of a B-tree has (sqlite.org/fileformat2.html §1.6). */
export interface BTreePage {
  readonly kind: Kind
  /** The pages below it, in their order. */
  readonly children: readonly Child[]
  readonly rows: readonly StoredRow[]
  /** Pages with the ends of long rows. */
  readonly overflow: readonly number[]
  /** Cells that cannot be read. */
  readonly damagedCells: number
}

/** The header of a page, and where its list of cells is. */
interface Header {
  readonly type: number
  readonly kind: Kind
  readonly isInterior: boolean
  readonly start: number
  readonly list: number
  readonly listEnd: number
}

/** Reads a page of a B-tree; `undefined` where it is none. */
export function readBTreePage(pages: Pages, number: number): BTreePage | undefined {
  const page = pages.read(number)
  const header = page && headerOf(page, number)
  if (page === undefined || header === undefined) return undefined
  const children: Child[] = []
  const rows: StoredRow[] = []
  const overflow: number[] = []
  let damagedCells = 0
  for (let at = header.list; at < header.listEnd; at += 2) {
    try {
      const { child, row } = readCell(
        new Cell(pages, page, page.readUInt16BE(at)),
        header,
        overflow,
      )
      if (child !== undefined) children.push(child)
      if (row !== undefined) rows.push(row)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      damagedCells++
    }
  }
  if (header.isInterior) children.push({ page: page.readUInt32BE(header.start + 8) })
  const kept = header.kind === 'rowid' ? rowsInOrder(rows) : rows
  damagedCells += rows.length - kept.length
  return { kind: header.kind, children, rows: kept, overflow, damagedCells }
}

function headerOf(page: Buffer, number: number): Header | undefined {
  const start = number === 1 ? FILE_HEADER_BYTES : 0
  const type = page[start]!
  const isInterior = type === INDEX_INTERIOR || type === TABLE_INTERIOR
  if (!isInterior && type !== INDEX_LEAF && type !== TABLE_LEAF) return undefined
  const list = start + (isInterior ? 12 : 8)
  const listEnd = list + 2 * page.readUInt16BE(start + 3)
  const kind = type === TABLE_LEAF || type === TABLE_INTERIOR ? 'rowid' : 'index'
  return listEnd > page.length ? undefined : { type, kind, isInterior, start, list, listEnd }
}

function readCell(
  cell: Cell,
  { type, kind }: Header,
  overflow: number[],
): { readonly child?: Child; readonly row?: StoredRow } {
  if (type === TABLE_INTERIOR) return { child: { page: cell.child(), through: cell.rowid() } }
  const child = type === INDEX_INTERIOR ? { child: { page: cell.child() } } : {}
  return { ...child, row: kind === 'rowid' ? cell.rowOfTable(overflow) : cell.rowOfIndex(overflow) }
}
