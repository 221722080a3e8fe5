import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { Group } from '../../design/lists/group.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { type Alerts, alertsQuery } from './alerts-query.ts'
import { ChannelsPanel } from './channels-panel.tsx'
import { LastAlertsPanel } from './last-alerts-panel.tsx'
import { NewChannel } from './new-channel.tsx'

export function AlertsPage(): ReactElement {
  const [{ new: isNew }, setUrl] = useUrlState<'new'>()
  const canEdit = useHasRole('editor')
  const alerts = useQuery(alertsQuery)
  const add = canEdit && (
    <Button variant="primary" onClick={() => setUrl({ new: '1' }, { push: true })}>
      <Icon name="plus" /> New channel
    </Button>
  )
  return (
    <>
      <PageHeading
        title="Alerts"
        about="Notify a team in Slack, PagerDuty or another service when something needs attention."
        actions={add}
      />
      <Loaded query={alerts} lines={6}>
        {({ sourceId, channels, heldBack, conditions }) => (
          <div className="flex flex-col gap-4">
            <ChannelsPanel channels={channels} />
            <LastAlertsPanel
              sourceId={sourceId}
              hasChannels={channels.length > 0}
              heldBack={heldBack}
            />
            <ConditionsPanel conditions={conditions} />
          </div>
        )}
      </Loaded>
      {canEdit && isNew !== undefined && <NewChannel onClose={() => setUrl({ new: undefined })} />}
    </>
  )
}

type Conditions = Alerts['conditions']

const SEVERITIES: Readonly<Record<Conditions[number]['severity'], string>> = {
  data_loss: 'Lost or undelivered events',
  failing: 'Failures',
  attention: 'Warnings',
}

function ConditionsPanel({ conditions }: { readonly conditions: Conditions }): ReactElement {
  return (
    <Panel title="Conditions" isFlush>
      <p className="text-ink-soft text-dense px-4 pb-3">
        To exclude alerts from a channel, add a filter by event name in its settings. Conditions
        marked “not sent” trigger no alert, but are listed under “Needs attention”.
      </p>
      {[...Map.groupBy(conditions, ({ severity }) => severity)].map(([severity, members]) => (
        <Group key={severity} title={SEVERITIES[severity]} count={members.length}>
          <ConditionTable label={SEVERITIES[severity]} conditions={members} />
        </Group>
      ))}
    </Panel>
  )
}

interface ConditionTableProps {
  readonly label: string
  readonly conditions: Conditions
}

function ConditionTable({ label, conditions }: ConditionTableProps): ReactElement {
  return (
    <Table label={label} head={['Alert', 'Applies if', 'Remedy']}>
      {conditions.map(({ condition, events, threshold, remedy }) => (
        <Row key={condition}>
          <Cell className="min-w-40">
            {events === null ? (
              <span className="text-ink-faint">not sent</span>
            ) : (
              [...new Set([events.start, events.end])].filter(Boolean).join(', ')
            )}
          </Cell>
          <Cell className="max-w-md min-w-64">{threshold}</Cell>
          <Cell className="text-ink-soft max-w-md min-w-64">{remedy}</Cell>
        </Row>
      ))}
    </Table>
  )
}
