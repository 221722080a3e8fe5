import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { errorAt } from '../../api/problem.ts'
import { Field, Select, TextInput } from '../../design/controls/field.tsx'
import { ErrorText } from '../../design/states.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { DialogForm } from '../../design/dialogs/dialog-form.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import type { Channel } from './alerts-query.ts'
import { CHANNEL_FORMATS } from './channel-formats.ts'

interface Draft {
  readonly format: Channel['format']
  readonly url: string
  readonly key: string
  readonly name: string
}

export function NewChannel({ onClose }: { readonly onClose: () => void }): ReactElement {
  const client = useQueryClient()
  const [draft, setDraft] = useState<Draft>({ format: 'slack', url: '', key: '', name: '' })
  const create = useMutation({
    mutationFn: () => api.addAlertChannel(requestOf(draft)),
    // Closing the dialog removes the key from memory.
    gcTime: 0,
    onSuccess: () => {
      toast('Channel added. Send a test to see whether it works.')
      onClose()
      return client.invalidateQueries({ queryKey: ['destinations'] })
    },
  })
  return (
    <Modal title="New channel" isOpen onClose={onClose}>
      <DialogForm
        action="Add channel"
        isBusy={create.isPending}
        disabled={draft.url.trim() === ''}
        onSubmit={() => create.mutate()}
        onClose={onClose}
      >
        <ChannelFields draft={draft} onChange={setDraft} error={create.error} />
        <ErrorText error={create.error} />
      </DialogForm>
    </Modal>
  )
}

function requestOf({ format, url, key, name }: Draft): Parameters<typeof api.addAlertChannel>[0] {
  const hasKey = CHANNEL_FORMATS[format].keyLabel !== undefined && key.trim() !== ''
  return {
    format,
    url: url.trim(),
    ...(hasKey && { key: key.trim() }),
    ...(name.trim() !== '' && { name }),
  }
}

interface ChannelFieldsProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly error: unknown
}

function ChannelFields({ draft, onChange, error }: ChannelFieldsProps): ReactElement {
  const { urlHint, keyLabel } = CHANNEL_FORMATS[draft.format]
  const input = (name: 'url' | 'key' | 'name', label: string, hint?: string): ReactElement => (
    <Field label={label} hint={hint} fieldError={errorAt(error, `/${name}`)}>
      {(ids) => (
        <TextInput
          {...ids}
          {...(name === 'key' && { type: 'password', autoComplete: 'new-password' })}
          value={draft[name]}
          onChange={({ target }) => onChange({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  )
  return (
    <>
      <Field label="Format" fieldError={errorAt(error, '/format')}>
        {(ids) => (
          <Select
            {...ids}
            value={draft.format}
            onPick={(picked) => onChange({ ...draft, format: picked as Channel['format'] })}
            options={Object.entries(CHANNEL_FORMATS).map(([name, { label }]) => [name, label])}
          />
        )}
      </Field>
      {input('url', 'URL', urlHint)}
      {keyLabel !== undefined && input('key', keyLabel)}
      {input('name', 'Name (optional)')}
    </>
  )
}
