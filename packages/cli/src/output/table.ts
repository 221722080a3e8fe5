import { stripVTControlCharacters } from 'node:util'
import type { Output } from './output.ts'
import { printable } from './safe-text.ts'

/** One column of a table: its heading, and its text for an item. */
export interface Column<Item> {
  readonly head: string
  readonly cell: (item: Item) => string
}

/** Prints a list: for programs as `{ data }`; for people as a table, or `emptyText` if there are no items. */
export function showList<Item>(
  output: Output,
  columns: readonly Column<Item>[],
  items: readonly Item[],
  emptyText: string,
): void {
  output.data({ data: items }, () =>
    items.length === 0 ? emptyText : table(output, columns, items),
  )
}

/** Prints one item: for programs as it is; for people with one line for each column. */
export function showItem<Item extends object>(
  output: Output,
  columns: readonly Column<Item>[],
  item: Item,
): void {
  output.data(item, () =>
    details(
      output,
      columns.map(({ head, cell }) => [head, cell(item)]),
    ),
  )
}

/** The items as an aligned table with headings. */
export function table<Item>(
  output: Output,
  columns: readonly Column<Item>[],
  items: readonly Item[],
): string {
  const heads = columns.map(({ head }) => output.style('bold', head))
  const lines = items.map((item) => columns.map(({ cell }) => printable(cell(item))))
  return alignedLines([heads, ...lines]).join('\n')
}

/** One line for each entry, its name and its value, with the values aligned. */
export function details(output: Output, entries: readonly (readonly [string, string])[]): string {
  const lines = entries.map(([name, value]) => [output.style('dim', name), printable(value)])
  return alignedLines(lines).join('\n')
}

function alignedLines(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => widthOf(cells[column]!))),
  )
  return lines.map((cells) =>
    cells
      .map((cell, column) => cell + ' '.repeat(widths[column]! - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length
}
