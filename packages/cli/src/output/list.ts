import type { Page } from '../api/list-items.ts'
import { details } from './details.ts'
import type { Output } from './output.ts'
import { cellText, type Column, table } from './table.ts'

export function showList<Item>(
  output: Output,
  columns: readonly Column<Item>[],
  { data, nextCursor }: Page<Item>,
  emptyText: string,
): void {
  output.data({ data, nextCursor }, () =>
    data.length === 0 ? emptyText : table(output, columns, data),
  )
  if (output.isJson || nextCursor === null) return
  output.note(`Showing ${data.length}. For more, use --cursor ${nextCursor} or a higher --limit.`)
}

export function showItem<Item extends object>(
  output: Output,
  columns: readonly Column<Item>[],
  item: Item,
): void {
  output.data(item, () =>
    details(
      output,
      columns.map((column) => [column.head, cellText(column, item, (at) => output.time(at))]),
    ),
  )
}
