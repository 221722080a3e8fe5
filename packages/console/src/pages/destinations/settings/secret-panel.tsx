import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Confirm } from '../../../design/windows/confirm.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { nameToType } from '../../../format/name-to-type.ts'
import { RotateSecret } from './rotate-secret.tsx'

interface SecretPanelProps {
  readonly destination: Destination
}

export function SecretPanel({ destination }: SecretPanelProps): ReactElement {
  const { set, last4, previousUntil } = destination.settings.sharedSecret
  const mayEdit = useMay('editor')
  const [open, setOpen] = useState<'rotate' | 'remove'>()
  const close = (): void => setOpen(undefined)
  return (
    <Panel title="Shared secret">
      <div className="flex flex-col gap-3">
        <p>
          {set ? (
            <>
              Set
              {last4 !== undefined && (
                <>
                  , ends with <code>{last4}</code>
                </>
              )}
              .
            </>
          ) : (
            'None: requests are not signed, so receivers cannot verify them.'
          )}
        </p>
        {previousUntil !== undefined && (
          <p>
            Requests are also signed with the old secret until{' '}
            <Time at={previousUntil} form="full" />.
          </p>
        )}
        {mayEdit && (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setOpen('rotate')}>{set ? 'Rotate…' : 'Set secret…'}</Button>
            {set && (
              <Button look="danger" onClick={() => setOpen('remove')}>
                Remove…
              </Button>
            )}
          </div>
        )}
      </div>
      {open === 'rotate' && <RotateSecret destination={destination} onClose={close} />}
      {open === 'remove' && <RemoveSecret destination={destination} onClose={close} />}
    </Panel>
  )
}

interface RemoveSecretProps extends SecretPanelProps {
  readonly onClose: () => void
}

function RemoveSecret({ destination, onClose }: RemoveSecretProps): ReactElement {
  const client = useQueryClient()
  const { id, name } = destination
  const remove = async (): Promise<void> => {
    await api.changeDestination(id, { settings: { sharedSecret: null } })
    toast('Secret removed.')
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  return (
    <Confirm
      title="Remove the shared secret?"
      action="Remove secret"
      mustType={nameToType(name, id)}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        Requests will no longer be signed, so receivers that verify signatures will reject them.
        This cannot be undone.
      </p>
    </Confirm>
  )
}
