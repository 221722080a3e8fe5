import { columnsOf, cutText, wordLines } from '../layout/measure.ts'
import { details } from './details.ts'
import type { Output } from './output.ts'
import { printableText } from './safe-text.ts'

export interface Column<Item> {
  readonly head: string
  readonly cell: (item: Item) => string
  /** How to fit a cell that is too wide. By default it is shown whole, because users copy ids. */
  readonly long?: 'cut' | 'wrap'
  /** Whether cells are ISO 8601 times, shown as ages on a screen. Other text stays unchanged. */
  readonly isTime?: true
  /** A narrow screen omits columns, highest rank first. Columns without a rank are never omitted. */
  readonly rank?: number
}

const MIN_WIDTHS = { cut: 10, wrap: 30 } as const

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Fits a table to the screen: cuts and wraps cells, omits columns, or shows each item as a record. */
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

export function cellText<Item>(
  { cell, isTime }: Column<Item>,
  item: Item,
  timeText: (at: string) => string,
): string {
  const text = cell(item)
  return isTime && TIME.test(text) ? timeText(text) : printableText(text)
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
  const min =
    long === undefined ? natural : Math.min(natural, Math.max(columnsOf(head), MIN_WIDTHS[long]))
  return { natural, min, rank }
}

function records<Item>(
  output: Output,
  columns: readonly Column<Item>[],
  rows: readonly (readonly string[])[],
): string {
  const names = Math.max(...columns.map(({ head }) => columnsOf(head)))
  const left = Math.max(MIN_WIDTHS.cut, output.columns - names - GAP)
  const entry = (row: readonly string[], { head, long }: Column<Item>, index: number) =>
    [head, long === 'cut' ? cutText(row[index]!, left) : row[index]!] as const
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
    return [columns[index]!.long === 'cut' ? cutText(text, width) : text]
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

export interface ColumnNeed {
  /** The width of its longest cell. */
  readonly natural: number
  readonly min: number
  readonly rank: number | undefined
}

const GAP = 2

/** Returns the widths, with `undefined` for omitted columns; or `undefined` if the required columns do not fit. */
export function fitColumns(
  needs: readonly ColumnNeed[],
  available: number,
): (number | undefined)[] | undefined {
  const widths = needs.map(({ min }): number | undefined => min)
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
