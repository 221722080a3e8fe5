import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Confirm } from '../../../design/dialogs/confirm.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { confirmationText } from '../../../format/confirmation-text.ts'
import { shownText } from '../../../format/shown-text.ts'
import { draftsOf, requestedWebhooks } from '../form/webhook-drafts.ts'
import { RotateSecret } from './rotate-secret.tsx'

interface SecretPanelProps {
  readonly destination: Destination
}

/** The shared secret, and the webhook secret of each URL. */
export function SecretPanel({ destination }: SecretPanelProps): ReactElement {
  const { sharedSecret, signature, webhooks } = destination.settings
  const hasOwn = webhooks.length > 1 || webhooks.some(({ secret }) => secret !== undefined)
  return (
    <Panel title="Secrets">
      <div className="flex flex-col gap-4">
        {signature === 'ed25519' && <p>Not in use: only the key pair signs requests.</p>}
        <SecretRow destination={destination} secret={sharedSecret} />
        {hasOwn &&
          webhooks.map(({ url, secret }) => (
            <SecretRow key={url} destination={destination} url={url} secret={secret} />
          ))}
      </div>
    </Panel>
  )
}

interface SecretRowProps extends SecretPanelProps {
  /** Absent for the shared secret. */
  readonly url?: string
  /** Absent for a URL that uses the shared secret. */
  readonly secret: Destination['settings']['sharedSecret'] | undefined
}

function SecretRow({ destination, url, secret }: SecretRowProps): ReactElement {
  const canEdit = useHasRole('editor')
  const name = url === undefined ? undefined : shownText(url, 60)
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-dense font-medium break-all">
        {name === undefined ? 'Shared secret' : `Secret for ${name}`}
      </h3>
      {secret?.set === true ? <SetSecret {...secret} /> : <p>{NONE[name ? 'own' : 'shared']}</p>}
      {canEdit && (
        <SecretButtons destination={destination} url={url} isSet={secret?.set === true} />
      )}
    </section>
  )
}

const NONE = {
  shared: 'None: requests to URLs without a webhook secret are not signed with a secret.',
  own: 'None: the shared secret applies.',
}

function SetSecret({ last4, previousUntil }: Destination['settings']['sharedSecret']) {
  return (
    <>
      <p>
        Set
        {last4 !== undefined && (
          <>
            , ending in <code>{last4}</code>
          </>
        )}
        .
      </p>
      {previousUntil !== undefined && (
        <p>
          Requests are also signed with the old secret until <Time at={previousUntil} form="full" />
          .
        </p>
      )}
    </>
  )
}

interface SecretButtonsProps extends SecretPanelProps {
  readonly url: string | undefined
  readonly isSet: boolean
}

function SecretButtons({ destination, url, isSet }: SecretButtonsProps): ReactElement {
  const [open, setOpen] = useState<'rotate' | 'remove'>()
  const close = (): void => setOpen(undefined)
  const rotate = isSet ? 'Rotate…' : 'Set secret…'
  const labelled = (text: string) =>
    url === undefined ? {} : { 'aria-label': `${text} ${shownText(url, 60)}` }
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setOpen('rotate')} {...labelled(rotate)}>
        {rotate}
      </Button>
      {isSet && (
        <Button variant="danger" onClick={() => setOpen('remove')} {...labelled('Remove…')}>
          Remove…
        </Button>
      )}
      {open === 'rotate' && <RotateSecret destination={destination} url={url} onClose={close} />}
      {open === 'remove' && <RemoveSecret destination={destination} url={url} onClose={close} />}
    </div>
  )
}

interface RemoveSecretProps extends SecretPanelProps {
  readonly url: string | undefined
  readonly onClose: () => void
}

function RemoveSecret({ destination, url, onClose }: RemoveSecretProps): ReactElement {
  const client = useQueryClient()
  const { id, name, settings } = destination
  const remove = async (): Promise<void> => {
    const change =
      url === undefined
        ? { sharedSecret: null }
        : { webhooks: withoutSecret(settings.webhooks, url) }
    await api.changeDestination(id, { settings: change }, { ifMatch: `"${destination.version}"` })
    toast('Secret removed.')
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  return (
    <Confirm
      title={url === undefined ? 'Remove the shared secret?' : 'Remove the secret for this URL?'}
      action="Remove secret"
      mustType={confirmationText(name, id)}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        Requests will no longer be signed with this secret, so receivers that verify signatures with
        it will reject the requests.{' '}
        {url !== undefined &&
          settings.sharedSecret.set &&
          'The shared secret replaces the secret for this URL. '}
        This cannot be undone.
      </p>
    </Confirm>
  )
}

type Webhooks = Destination['settings']['webhooks']

function withoutSecret(webhooks: Webhooks, url: string) {
  const drafts = draftsOf(webhooks)
  return requestedWebhooks(
    drafts.map((draft) => (draft.url === url ? { ...draft, hasSecret: false } : draft)),
  )
}
