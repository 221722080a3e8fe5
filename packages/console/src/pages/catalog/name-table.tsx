import type { EventName } from '@hookline/cli/management-client'
import type { ReactElement } from 'react'
import { classNames } from '../../design/class-names.ts'
import { Sparkline } from '../../design/figures/sparkline.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import type { Names } from '../../domain/names.ts'
import { shortNumber, wholeNumber } from '../../format/figures.ts'
import { keyOf, titleOf } from './event-names.ts'

const HEAD = ['Name', 'Type', 'Events', 'Last 7 days', 'Last seen', 'First seen', 'Source']

interface NameTableProps {
  readonly eventNames: readonly EventName[]
  readonly names: Names
  readonly openKey: string | undefined
  readonly onOpen: (key: string) => void
}

export function NameTable(props: NameTableProps): ReactElement {
  const { eventNames, names, openKey, onOpen } = props
  return (
    <Table label="Event names" head={HEAD}>
      {eventNames.map((eventName, index) => {
        const key = keyOf(eventName)
        const { sourceId, type, count, days, firstSeenAt, lastSeenAt } = eventName
        const ofDays = days.reduce((sum, each) => sum + each, 0)
        return (
          <Row key={key} data-row={index} isCurrent={key === openKey} onOpen={() => onOpen(key)}>
            <Cell className="max-w-80 min-w-40">
              <button
                type="button"
                className="text-accent line-clamp-2 text-left font-medium hover:underline"
                onClick={() => onOpen(key)}
              >
                {titleOf(eventName)}
              </button>
            </Cell>
            <Cell className="text-ink-soft">{type ?? 'several'}</Cell>
            <Cell className="tabular-nums">
              <span title={wholeNumber(count)}>{shortNumber(count)}</span>
            </Cell>
            <Cell>
              <Sparkline
                className={classNames('h-5 w-24', ofDays > 0 ? 'text-accent' : 'text-line-strong')}
                label={`Events in the last 7 days: ${wholeNumber(ofDays)}`}
                values={days}
              />
            </Cell>
            <Cell className="text-ink-soft">
              <Time at={lastSeenAt} />
            </Cell>
            <Cell className="text-ink-soft">
              <Time at={firstSeenAt} />
            </Cell>
            <Cell className="max-w-56 min-w-24">{names.source(sourceId)}</Cell>
          </Row>
        )
      })}
    </Table>
  )
}
