import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { counted } from '../../format/figures.ts'
import type { GapRow } from './live-row.ts'

interface MissingLineProps {
  readonly row: GapRow
}

/** Says that something is missing here, and where to find it. */
export function MissingLine({ row }: MissingLineProps): ReactElement {
  const { from, to } = row
  const range = { range: 'custom', to, ...(from !== null && { from }) }
  return (
    <p className="bg-retrying-soft text-retrying text-dense flex h-full items-center gap-2 overflow-hidden px-3">
      <span className="truncate" title={textOf(row)}>
        {textOf(row)}
      </span>
      <Link to="/events" search={range} className="shrink-0 underline">
        Show the events of that time
      </Link>
    </p>
  )
}

function textOf({ missed }: GapRow): string {
  return missed === null
    ? 'Messages were missed here.'
    : `${counted(missed, 'message was', 'messages were')} missed here.`
}
