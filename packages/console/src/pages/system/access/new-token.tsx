import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { errorAt } from '../../../api/problem.ts'
import type { Role } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { ErrorText } from '../../../design/states.tsx'
import { Modal } from '../../../design/dialogs/modal.tsx'
import { DialogForm } from '../../../design/dialogs/dialog-form.tsx'
import { TimeField } from '../../../design/controls/time-field.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { rolesUpTo } from './roles.ts'

interface Draft {
  readonly name: string
  readonly role: Role
  readonly expiresAt: string | undefined
}

interface NewTokenProps {
  readonly onClose: () => void
}

/** Creates a token, then shows it once. */
export function NewToken({ onClose }: NewTokenProps): ReactElement {
  const client = useQueryClient()
  const [draft, setDraft] = useState<Draft>({ name: '', role: 'viewer', expiresAt: undefined })
  const create = useMutation({
    mutationFn: () => api.createToken({ ...draft, expiresAt: draft.expiresAt ?? null }),
    // Closing the dialog removes the token from memory.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  if (create.data !== undefined) return <CreatedToken {...create.data} onClose={onClose} />
  return (
    <Modal title="New token" isOpen onClose={onClose}>
      <DialogForm
        action="Create token"
        isBusy={create.isPending}
        disabled={draft.name.trim() === ''}
        onSubmit={() => create.mutate()}
        onClose={onClose}
      >
        <TokenFields draft={draft} onChange={setDraft} error={create.error} />
        <ErrorText error={create.error} />
      </DialogForm>
    </Modal>
  )
}

interface TokenFieldsProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly error: unknown
}

function TokenFields({ draft, onChange, error }: TokenFieldsProps): ReactElement {
  return (
    <>
      <Field label="Name" hint="Shown in the audit log." fieldError={errorAt(error, '/name')}>
        {(ids) => (
          <TextInput
            {...ids}
            autoFocus
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Field label="Role" fieldError={errorAt(error, '/role')}>
        {(ids) => (
          <Select
            {...ids}
            value={draft.role}
            onPick={(picked) => onChange({ ...draft, role: picked as Role })}
            options={rolesUpTo('admin')}
          />
        )}
      </Field>
      <TimeField
        label="Expires"
        hint="Leave empty for no expiry."
        fieldError={errorAt(error, '/expiresAt')}
        at={draft.expiresAt}
        onChange={(expiresAt) => onChange({ ...draft, expiresAt })}
      />
    </>
  )
}

interface CreatedTokenProps extends NewTokenProps {
  readonly name: string
  readonly token: string
}

function CreatedToken({ name, token, onClose }: CreatedTokenProps): ReactElement {
  return (
    <Modal title={`Token ${shownText(name, 80)} created`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>Copy it now and store it safely. It will not be shown again.</p>
        <CodeBlock text={token} what="the token" className="[&_code]:break-all" />
        <p className="text-ink-soft text-dense">
          Use it in the <code>Authorization: Bearer</code> header, or to sign in to the console.
        </p>
        <footer className="flex justify-end">
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </div>
    </Modal>
  )
}
