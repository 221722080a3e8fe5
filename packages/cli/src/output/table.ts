import { columnsOf, cut, wordLines } from '../layout/measure.ts'
import { details } from './details.ts'
import type { Output } from './output.ts'
import { printable } from './safe-text.ts'

/** One column of a table: its heading, and its text for an item. */
export interface Column<Item> {
  readonly head: string
  readonly cell: (item: Item) => string
  /** What may happen to a cell that is too long for the screen. Without it, the cell is shown whole: users copy ids. */
  readonly long?: 'cut' | 'wrap'
  /** The cell is an ISO 8601 time, or words in place of one. A screen shows its age. */
  readonly isTime?: true
  /** On a screen that is too narrow, columns with the highest rank are left out first; those without a rank stay. */
  readonly rank?: number
}

/** A column of which less than this is seen has no use. */
const LEAST = { cut: 10, wrap: 30 } as const

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/**
 * The items as an aligned table with headings. It fits the screen: cells are cut or wrapped, and columns are left out.
 * If that does not suffice, each item becomes a record of several lines.
 */
export function table<Item>(
  output: Output,
  columns: readonly Column<Item>[],
  items: readonly Item[],
): string {
  const rows = items.map((item) =>
    columns.map((column) => cellText(column, item, (at) => output.age(at))),
  )
  const widths = fitColumns(
    columns.map((column, index) => needOf(column, rows, index)),
    output.columns,
  )
  if (widths === undefined) return records(output, columns, rows)
  const heads = columns.map(({ head }) => head)
  const headLine = lineOf(heads, widths)
  const lines = rows.flatMap((row) => linesOf(row, columns, widths))
  return [output.style('bold', headLine), ...lines].join('\n')
}

/** The text of a cell, safe to print. */
export function cellText<Item>(
  { cell, isTime }: Column<Item>,
  item: Item,
  timeText: (at: string) => string,
): string {
  const text = cell(item)
  return isTime && TIME.test(text) ? timeText(text) : printable(text)
}

function needOf<Item>(
  { head, long, rank }: Column<Item>,
  rows: readonly (readonly string[])[],
  index: number,
): ColumnNeed {
  const natural = rows.reduce(
    (widest, row) => Math.max(widest, columnsOf(row[index]!)),
    columnsOf(head),
  )
  const least =
    long === undefined ? natural : Math.min(natural, Math.max(columnsOf(head), LEAST[long]))
  return { natural, least, rank }
}

function records<Item>(
  output: Output,
  columns: readonly Column<Item>[],
  rows: readonly (readonly string[])[],
): string {
  const names = Math.max(...columns.map(({ head }) => columnsOf(head)))
  const left = Math.max(LEAST.cut, output.columns - names - GAP)
  const entry = (row: readonly string[], { head, long }: Column<Item>, index: number) =>
    [head, long === 'cut' ? cut(row[index]!, left) : row[index]!] as const
  const record = (row: readonly string[]) =>
    columns.map((column, index) => entry(row, column, index)).filter(([, text]) => text !== '')
  return rows.map((row) => details(output, record(row))).join('\n\n')
}

function linesOf<Item>(
  row: readonly string[],
  columns: readonly Column<Item>[],
  widths: readonly (number | undefined)[],
): string[] {
  const cells = row.map((text, index) => {
    const width = widths[index] ?? Infinity
    if (columns[index]!.long === 'wrap') return wordLines(text, width)
    return [columns[index]!.long === 'cut' ? cut(text, width) : text]
  })
  const height = Math.max(...cells.map(({ length }, index) => (widths[index] ? length : 0)))
  return Array.from({ length: height }, (_, line) =>
    lineOf(
      cells.map((lines) => lines[line] ?? ''),
      widths,
    ),
  )
}

function lineOf(cells: readonly string[], widths: readonly (number | undefined)[]): string {
  return cells
    .flatMap((cell, index) => {
      const width = widths[index]
      return width === undefined ? [] : [cell + ' '.repeat(Math.max(0, width - columnsOf(cell)))]
    })
    .join(' '.repeat(GAP))
    .trimEnd()
}
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
const GAP = 2

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
