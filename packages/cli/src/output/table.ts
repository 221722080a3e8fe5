import { stripVTControlCharacters } from 'node:util'
import type { Output } from './output.ts'
import { printable } from './printable.ts'

/** One column: its head, and what it shows of a row. */
export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => string
}

/** The rows as a table for people. */
export function table<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): string {
  const heads = columns.map(({ head }) => output.style('bold', head))
  const lines = rows.map((row) => columns.map(({ cell }) => printable(cell(row))))
  return alignedLines([heads, ...lines]).join('\n')
}

/** Name and value of each entry, the values in line. */
export function sheet(output: Output, entries: readonly (readonly [string, string])[]): string {
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
