import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { Loaded } from '../../design/states.tsx'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { alertsQuery } from './alerts-query.ts'
import { ChannelsPanel } from './channels-panel.tsx'
import { ConditionsPanel } from './conditions-panel.tsx'
import { LastAlertsPanel } from './last-alerts-panel.tsx'
import { NewChannel } from './new-channel.tsx'

export function AlertsPage(): ReactElement {
  const [{ new: isNew }, setUrl] = useUrlState<'new'>()
  const mayEdit = useMay('editor')
  const alerts = useQuery(alertsQuery)
  const add = mayEdit && (
    <Button look="main" onClick={() => setUrl({ new: '1' }, { push: true })}>
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
            <LastAlertsPanel sourceId={sourceId} heldBack={heldBack} />
            <ConditionsPanel conditions={conditions} />
          </div>
        )}
      </Loaded>
      {mayEdit && isNew !== undefined && <NewChannel onClose={() => setUrl({ new: undefined })} />}
    </>
  )
}
