import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { errorAt, problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select } from '../../../design/controls/field.tsx'
import { Modal } from '../../../design/dialogs/modal.tsx'
import { DialogForm } from '../../../design/dialogs/dialog-form.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { FormError } from '../form/form-error.tsx'
import type { SecretDraft } from '../form/new-destination-draft.ts'
import { NewSecret, SecretChoice, secretOf } from '../form/secret-choice.tsx'

export const OVERLAPS = [
  ['24', '24 hours'],
  ['1', '1 hour'],
  ['72', '3 days'],
  ['168', '7 days'],
  ['0', 'None: stop using the old one now'],
] as const

interface RotateSecretProps {
  readonly destination: Destination
  /** The webhook whose secret it is; absent for the shared secret. */
  readonly url?: string | undefined
  readonly onClose: () => void
}

/** Replaces the secret. During the overlap, requests are signed with both, so receivers can switch. */
export function RotateSecret({ destination, url, onClose }: RotateSecretProps): ReactElement {
  const { id, settings } = destination
  const isFirst = secretAt(destination, url)?.set !== true
  const name = url === undefined ? 'shared secret' : 'secret for this URL'
  const client = useQueryClient()
  const [draft, setDraft] = useState<SecretDraft>({ kind: 'new', own: '' })
  const [overlap, setOverlap] = useState('24')
  const rotate = useMutation({
    mutationFn: async (force: boolean) => {
      const secret = secretOf(draft) ?? ''
      const changed = await api.rotateSecret(id, {
        secret,
        overlapHours: Number(overlap),
        force,
        ...(url !== undefined && { url }),
      })
      return { changed, secret: draft.kind === 'new' ? secret : undefined }
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const mustForce = problemOf(rotate.error).code === 'rotation_in_progress'
  return (
    <Modal title={`${isFirst ? 'Set' : 'Rotate'} the ${name}`} isOpen onClose={onClose}>
      {rotate.data !== undefined ? (
        <Rotated {...rotate.data} name={name} url={url} onClose={onClose} />
      ) : (
        <DialogForm
          action={isFirst ? 'Set secret' : mustForce ? 'Rotate anyway' : 'Rotate'}
          variant={mustForce ? 'danger' : 'primary'}
          isBusy={rotate.isPending}
          onSubmit={() => rotate.mutate(mustForce)}
          onClose={onClose}
        >
          <SecretChoice
            name={name}
            draft={draft}
            fieldError={errorAt(rotate.error, '/secret')}
            onChange={setDraft}
          />
          {(!isFirst || settings.sharedSecret.set) && (
            <Field
              label="Overlap"
              hint="During the overlap, webhook-signature has both signatures. X-Signature has only the new one."
              fieldError={errorAt(rotate.error, '/overlapHours')}
            >
              {(ids) => <Select {...ids} options={OVERLAPS} value={overlap} onPick={setOverlap} />}
            </Field>
          )}
          <FormError error={rotate.error} />
        </DialogForm>
      )}
    </Modal>
  )
}

/** The webhook secret for this URL, or the shared secret. */
function secretAt({ settings }: Destination, url: string | undefined) {
  if (url === undefined) return settings.sharedSecret
  return settings.webhooks.find((webhook) => webhook.url === url)?.secret
}

interface RotatedProps {
  readonly name: string
  readonly changed: Destination
  readonly url: string | undefined
  /** The generated secret. */
  readonly secret: string | undefined
  readonly onClose: () => void
}

function Rotated({ name, changed, url, secret, onClose }: RotatedProps): ReactElement {
  const previousUntil = secretAt(changed, url)?.previousUntil
  return (
    <div className="flex flex-col gap-4">
      <Warnings warnings={changed.warnings} />
      {secret === undefined ? (
        <p>Your secret is set.</p>
      ) : (
        <NewSecret name={name} secret={secret} />
      )}
      {previousUntil !== undefined && (
        <p>
          Requests are also signed with the old secret until <Time at={previousUntil} form="full" />
          .
        </p>
      )}
      <Button variant="primary" className="self-end" onClick={onClose}>
        Done
      </Button>
    </div>
  )
}
