import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { faultAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { Field, Select } from '../../../design/controls/field.tsx'
import { Modal } from '../../../design/windows/modal.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { OtherFaults } from '../form/other-faults.tsx'
import { secretOf } from '../form/new-destination-draft.ts'
import { SecretChoice, type SecretDraft } from '../form/secret-choice.tsx'

const OVERLAPS = [
  ['24', '24 hours'],
  ['1', '1 hour'],
  ['72', '3 days'],
  ['168', '7 days'],
  ['0', 'not at all: the old one ends now'],
] as const

interface RotateSecretProps {
  readonly destination: Destination
  readonly onClose: () => void
}

/** Replaces the secret. For a time both sign, so that no receiver refuses a request meanwhile. */
export function RotateSecret({ destination, onClose }: RotateSecretProps): ReactElement {
  const { id, settings } = destination
  const isFirst = !settings.sharedSecret.set
  const client = useQueryClient()
  const [draft, setDraft] = useState<SecretDraft>({ kind: 'new', own: '' })
  const [overlap, setOverlap] = useState('24')
  const rotate = useMutation({
    mutationFn: async () => {
      const secret = secretOf(draft) ?? ''
      const changed = await api.rotateSecret(id, { secret, overlapHours: Number(overlap) })
      return { changed, secret: draft.kind === 'new' ? secret : undefined }
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    rotate.mutate()
  }
  const title = isFirst ? 'Set a shared secret' : 'Rotate the shared secret'
  return (
    <Modal title={title} isOpen onClose={onClose}>
      {rotate.data !== undefined ? (
        <Rotated {...rotate.data} onClose={onClose} />
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <SecretChoice
            draft={draft}
            mayBeNone={false}
            fault={faultAt(rotate.error, '/secret')}
            onChange={setDraft}
          />
          {!isFirst && (
            <Field
              label="For how long the old secret signs, too"
              hint="In this time, give your receiver the new one. The header webhook-signature has both signatures; X-Signature has the new one only."
              fault={faultAt(rotate.error, '/overlapHours')}
            >
              {(ids) => <Select {...ids} options={OVERLAPS} value={overlap} onPick={setOverlap} />}
            </Field>
          )}
          <OtherFaults error={rotate.error} />
          <footer className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="main" isBusy={rotate.isPending}>
              {isFirst ? 'Set the secret' : 'Rotate'}
            </Button>
          </footer>
        </form>
      )}
    </Modal>
  )
}

interface RotatedProps {
  readonly changed: Destination
  /** The secret that was made here. */
  readonly secret: string | undefined
  readonly onClose: () => void
}

function Rotated({ changed, secret, onClose }: RotatedProps): ReactElement {
  const { previousUntil } = changed.settings.sharedSecret
  return (
    <div className="flex flex-col gap-4">
      {secret === undefined ? (
        <p>Requests are signed with your secret from now on.</p>
      ) : (
        <>
          <p>
            The new secret. Copy it into your receiver now: <strong>it is not shown again.</strong>
          </p>
          <CodeBlock text={secret} what="the shared secret" />
        </>
      )}
      {previousUntil !== undefined && (
        <p>
          The old one signs, too, until <Time at={previousUntil} form="full" />.
        </p>
      )}
      <Button look="main" className="self-end" onClick={onClose}>
        Done
      </Button>
    </div>
  )
}
