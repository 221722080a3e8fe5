import type { ReactElement } from 'react'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { Refusal } from './volume.ts'

/** Refused calls by reason, each with its meaning and its remedy. */
export function RefusedTable({
  refusals,
}: {
  readonly refusals: readonly Refusal[]
}): ReactElement {
  return (
    <Table label="Refused calls by reason" head={['Calls', 'Reason', 'What to do']}>
      {refusals.map(({ code, count, meaning, remedy }) => (
        <Row key={code}>
          <Cell className="tabular-nums">{wholeNumber(count)}</Cell>
          <Cell className="min-w-48">
            <p>{meaning}</p>
            <code className="text-ink-faint text-note">{shownText(code)}</code>
          </Cell>
          <Cell className="text-ink-soft min-w-64">{remedy}</Cell>
        </Row>
      ))}
    </Table>
  )
}
