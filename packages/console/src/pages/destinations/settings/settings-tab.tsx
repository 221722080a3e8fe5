import { limitsText } from '@hookline/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Confirm } from '../../../design/dialogs/confirm.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { wholeNumber } from '../../../format/figures.ts'
import { confirmationText } from '../../../format/confirmation-text.ts'
import { shownText } from '../../../format/shown-text.ts'
import { POLICIES } from '../form/webhook-drafts.ts'
import { RetryPanel } from './retry-panel.tsx'
import { RoutingPanel } from './routing-panel.tsx'
import { SecretPanel } from './secret-panel.tsx'
import { SignaturePanel } from './signature-panel.tsx'
import { SettingsForm } from './settings-form.tsx'

export function SettingsTab({ destination }: DestinationProps): ReactElement {
  const canEdit = useHasRole('editor')
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <Panel title="Settings">
        {canEdit ? (
          <SettingsForm destination={destination} />
        ) : (
          <ReadOnlySettings destination={destination} />
        )}
      </Panel>
      <RoutingPanel destination={destination} canEdit={canEdit} />
      <SecretPanel destination={destination} />
      <SignaturePanel destination={destination} />
      <RetryPanel destination={destination} />
      {canEdit && <DeletePanel destination={destination} />}
    </div>
  )
}

function ReadOnlySettings({ destination }: DestinationProps): ReactElement {
  const { name, enabled, settings } = destination
  const urls = settings.webhooks.map(({ url, headers, limits }) => (
    <span key={url} className="block">
      <IdText id={url} what="the URL" />{' '}
      {Object.keys(headers).length > 0 && `with ${shownText(Object.keys(headers).join(', '))}`}
      {limits && <span className="block">Limits: {limitsText(limits)}</span>}
    </span>
  ))
  return (
    <FactList
      facts={[
        ['Name', shownText(name)],
        ['Enabled', enabled ? 'yes' : 'no'],
        ['URLs', urls],
        ['Delivered when', POLICIES[settings.successPolicy]],
      ]}
    />
  )
}

function DeletePanel({ destination }: DestinationProps): ReactElement {
  const { id, name, health } = destination
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    await api.removeDestination(id)
    toast(`${shownText(name, 60)} deleted.`)
    await navigate({ to: '/destinations' })
    client.removeQueries({ queryKey: ['destinations', id] })
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  return (
    <Panel title="Delete">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>Pending and held deliveries are dropped. Events are kept.</p>
        <Button variant="danger" onClick={() => setOpen(true)}>
          Delete destination…
        </Button>
      </div>
      {isOpen && (
        <Confirm
          title={`Delete ${shownText(name, 60)}?`}
          action="Delete destination"
          mustType={confirmationText(name, id)}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          <p>
            {wholeNumber(health.pending)} pending and {wholeNumber(health.held)} held deliveries
            will be dropped. This cannot be undone.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
