import type { Destination } from '@hookline/cli/management-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { Confirm } from '../../../design/dialogs/confirm.tsx'
import { Modal } from '../../../design/dialogs/modal.tsx'
import { DialogForm } from '../../../design/dialogs/dialog-form.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { FormError } from '../form/form-error.tsx'
import { OVERLAPS } from './rotate-secret.tsx'

type Settings = Destination['settings']

const KINDS: readonly (readonly [Settings['signature'], string])[] = [
  ['secret', 'the secrets'],
  ['both', 'the secrets and a key pair (Ed25519)'],
  ['ed25519', 'a key pair (Ed25519)'],
]

interface SignaturePanelProps {
  readonly destination: Destination
}

/** What signs requests, and the public keys that receivers need. */
export function SignaturePanel({ destination }: SignaturePanelProps): ReactElement {
  const { id, settings } = destination
  const { signature, signingKeys = [] } = settings
  const canEdit = useHasRole('editor')
  const [isRotating, setRotating] = useState(false)
  return (
    <Panel title="Signature">
      <div className="flex flex-col gap-3">
        {canEdit ? (
          <SignatureForm key={signature} destination={destination} />
        ) : (
          <p>Requests are signed with {describeSignature(signature)}.</p>
        )}
        {signingKeys.map((key) => (
          <PublicKey key={key.publicKey} {...key} />
        ))}
        {canEdit && signature !== 'secret' && (
          <Button className="self-start" onClick={() => setRotating(true)}>
            Rotate key…
          </Button>
        )}
      </div>
      {isRotating && <RotateKey id={id} onClose={() => setRotating(false)} />}
    </Panel>
  )
}

/** Changes the signature after a confirmation. */
function SignatureForm({ destination }: SignaturePanelProps): ReactElement {
  const { id, settings } = destination
  const [signature, setSignature] = useState(settings.signature)
  const [isOpen, setOpen] = useState(false)
  const client = useQueryClient()
  const save = async (): Promise<void> => {
    await api.changeDestination(id, { settings: { signature } })
    toast('Saved. The change applies from the next attempt.')
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  return (
    <>
      <Field
        label="Requests are signed with"
        hint="Receivers that have only the secret reject requests signed only with the key pair. Select “the secrets and a key pair” first."
      >
        {(ids) => (
          <Select
            {...ids}
            className="self-start"
            options={KINDS}
            value={signature}
            onPick={(picked) => setSignature(KINDS.find(([kind]) => kind === picked)![0])}
          />
        )}
      </Field>
      <Button
        className="self-start"
        disabled={signature === settings.signature}
        onClick={() => setOpen(true)}
      >
        Save signature…
      </Button>
      {isOpen && (
        <Confirm
          title="Change the signature?"
          action="Change signature"
          onConfirm={save}
          onClose={() => setOpen(false)}
        >
          <p>
            Requests will be signed with {describeSignature(signature)} instead of{' '}
            {describeSignature(settings.signature)}. Receivers that cannot verify the new signature
            will reject the requests.
          </p>
        </Confirm>
      )}
    </>
  )
}

function describeSignature(signature: Settings['signature']): string {
  return KINDS.find(([kind]) => kind === signature)![1]
}

type SigningKey = NonNullable<Settings['signingKeys']>[number]

function PublicKey({ publicKey, signsFrom, signsUntil }: SigningKey): ReactElement {
  return (
    <div className="flex flex-col">
      <IdText id={publicKey} what="the public key" />
      {signsFrom !== null && (
        <span className="text-note">
          Signs from <Time at={signsFrom} form="full" />.
        </span>
      )}
      {signsUntil !== null && (
        <span className="text-note">
          Signs until <Time at={signsUntil} form="full" />.
        </span>
      )}
    </div>
  )
}

const LEADS = [
  ['24', '24 hours'],
  ['72', '3 days'],
  ['168', '7 days'],
  ['0', 'None: sign with the new key now'],
] as const
interface RotateKeyProps {
  readonly id: string
  readonly onClose: () => void
}

function RotateKey({ id, onClose }: RotateKeyProps): ReactElement {
  const client = useQueryClient()
  const [lead, setLead] = useState('24')
  const [overlap, setOverlap] = useState('24')
  const rotate = useMutation({
    mutationFn: (force: boolean) =>
      api.rotateSigningKey(id, { leadHours: Number(lead), overlapHours: Number(overlap), force }),
    onSuccess: () => {
      onClose()
      return client.invalidateQueries({ queryKey: ['destinations'] })
    },
  })
  const mustForce = problemOf(rotate.error).code === 'rotation_in_progress'
  return (
    <Modal title="Rotate the key" isOpen onClose={onClose}>
      <DialogForm
        action={mustForce ? 'Rotate anyway' : 'Rotate key'}
        variant={mustForce ? 'danger' : 'primary'}
        isBusy={rotate.isPending}
        onSubmit={() => rotate.mutate(mustForce)}
        onClose={onClose}
      >
        <p>A new key pair is generated, and its public key is published now.</p>
        <Field
          label="Lead time before the new key signs"
          hint="Receivers may cache the keys for an hour."
        >
          {(ids) => <Select {...ids} options={LEADS} value={lead} onPick={setLead} />}
        </Field>
        <Field label="Overlap" hint="During the overlap, the old key also signs.">
          {(ids) => <Select {...ids} options={OVERLAPS} value={overlap} onPick={setOverlap} />}
        </Field>
        <FormError error={rotate.error} />
      </DialogForm>
    </Modal>
  )
}
