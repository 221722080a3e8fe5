import type { ManagementApi } from '../../api/management-api.ts'
import { counted, grouped } from '../figures.ts'
import type { Output } from '../output.ts'
import { printable } from '../safe-text.ts'
import { type Column, table } from '../table.ts'

type Preview = Awaited<ReturnType<ManagementApi['previewFilter']>>

const COLUMNS: Column<Preview['byName'][number]>[] = [
  { head: 'type', cell: ({ type }) => type },
  { head: 'event', cell: ({ event }) => event ?? '', long: 'cut' },
  { head: 'selected', cell: ({ selected }) => grouped(selected) },
  { head: 'of', cell: ({ examined }) => grouped(examined) },
]

export function filterPreviewText(output: Output, preview: Preview): string {
  const { examined, selected, byName, excludedExamples } = preview
  if (examined === 0) return 'The source has no events yet.'
  const excluded = excludedExamples.map(({ id, type, event, reasons }) =>
    printable(`  ${id}  ${event ?? type}  ${reasons.join('; ')}`),
  )
  return [
    output.style('bold', `Selects ${grouped(selected)} of the last ${counted(examined, 'event')}`),
    '',
    table(output, COLUMNS, byName),
    ...(excluded.length > 0 ? ['', 'The last excluded events:', ...excluded] : []),
  ].join('\n')
}
