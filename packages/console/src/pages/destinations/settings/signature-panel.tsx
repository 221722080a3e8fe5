import type { Destination } from '@hookline/cli/management-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Field, Select } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { Modal } from '../../../design/windows/modal.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { FormError } from '../form/form-error.tsx'

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
  const mayEdit = useMay('editor')
  const [isRotating, setRotating] = useState(false)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (kind: Settings['signature']) =>
      api.changeDestination(id, { settings: { signature: kind } }),
    onSuccess: () => toast('Saved. The change applies from the next attempt.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  return (
    <Panel title="Signature">
      <div className="flex flex-col gap-3">
        {mayEdit ? (
          <Field
            label="Requests are signed with"
            hint="Receivers that know only the secret reject requests without its signature: change to both first."
          >
            {(ids) => (
              <Select
                {...ids}
                className="self-start"
                options={KINDS}
                value={signature}
                onPick={(picked) => save.mutate(KINDS.find(([kind]) => kind === picked)![0])}
              />
            )}
          </Field>
        ) : (
          <p>Requests are signed with {KINDS.find(([kind]) => kind === signature)?.[1]}.</p>
        )}
        <FormError error={save.error} />
        {signingKeys.map((key) => (
          <PublicKey key={key.publicKey} {...key} />
        ))}
        {mayEdit && signature !== 'secret' && (
          <Button className="self-start" onClick={() => setRotating(true)}>
            Rotate key…
          </Button>
        )}
      </div>
      {isRotating && <RotateKey id={id} onClose={() => setRotating(false)} />}
    </Panel>
  )
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
  ['0', 'None: sign with it now'],
] as const
const OVERLAPS = [
  ['24', '24 hours'],
  ['72', '3 days'],
  ['168', '7 days'],
  ['0', 'None'],
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
    mutationFn: () =>
      api.rotateSigningKey(id, { leadHours: Number(lead), overlapHours: Number(overlap) }),
    onSuccess: () => {
      onClose()
      return client.invalidateQueries({ queryKey: ['destinations'] })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    rotate.mutate()
  }
  return (
    <Modal title="Rotate the key" isOpen onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p>A new key pair is generated, and its public key is published now.</p>
        <Field label="Published before it signs" hint="Receivers may cache the keys for an hour.">
          {(ids) => <Select {...ids} options={LEADS} value={lead} onPick={setLead} />}
        </Field>
        <Field label="Overlap" hint="Until it ends, the old key also signs.">
          {(ids) => <Select {...ids} options={OVERLAPS} value={overlap} onPick={setOverlap} />}
        </Field>
        <FormError error={rotate.error} />
        <footer className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" isBusy={rotate.isPending}>
            Rotate key
          </Button>
        </footer>
      </form>
    </Modal>
  )
}
