import type { ReactElement } from 'react'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import type { Alerts } from './alerts-query.ts'

const SEVERITIES: Readonly<Record<Alerts['conditions'][number]['severity'], string>> = {
  data_loss: 'Lost data',
  failing: 'Failing',
  attention: 'Attention',
}

export function ConditionsPanel({
  conditions,
}: {
  readonly conditions: Alerts['conditions']
}): ReactElement {
  return (
    <Panel title="Conditions" isFlush>
      <p className="text-ink-soft text-dense px-4 pb-3">
        To exclude alerts from a channel, add a filter by event name in its settings. Conditions
        marked “not sent” cause no alert, but are listed under “Needs attention”.
      </p>
      <Table label="All conditions" head={['Severity', 'Alert', 'Applies if', 'Remedy']}>
        {conditions.map(({ condition, severity, events, threshold, remedy }) => (
          <Row key={condition}>
            <Cell className="whitespace-nowrap">{SEVERITIES[severity]}</Cell>
            <Cell className="min-w-40">
              {events === null ? (
                <span className="text-ink-faint">not sent</span>
              ) : (
                [events.start, events.end].filter(Boolean).join(', ')
              )}
            </Cell>
            <Cell className="max-w-md min-w-64">{threshold}</Cell>
            <Cell className="text-ink-soft max-w-md min-w-64">{remedy}</Cell>
          </Row>
        ))}
      </Table>
    </Panel>
  )
}
