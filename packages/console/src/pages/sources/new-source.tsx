import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { Button } from '../../design/controls/button.tsx'
import { ErrorText } from '../../design/states.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { DialogForm } from '../../design/dialogs/dialog-form.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { SnippetTabs } from '../../domain/snippets/snippet-tabs.tsx'
import { shownText } from '../../format/shown-text.ts'
import { bodyOf, jsonError, rateLimitError, type SourceFields } from './source-fields.ts'
import { LimitInputs, NameInput } from './source-form.tsx'

const NEW: SourceFields = { name: '', rateLimit: '', space: 'default', fields: '' }

interface NewSourceProps {
  readonly onClose: () => void
}

/** Creates a source, then shows its write key with sample code. */
export function NewSource({ onClose }: NewSourceProps): ReactElement {
  const client = useQueryClient()
  const [fields, setFields] = useState(NEW)
  const create = useMutation({
    mutationFn: () => api.createSource(bodyOf(fields)),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sources'] }),
  })
  if (create.data !== undefined) return <Created source={create.data} onClose={onClose} />
  const submit = (): void => {
    if (rateLimitError(fields) === undefined && jsonError(fields) === undefined) create.mutate()
  }
  const inputs = { fields, onChange: setFields, error: create.error }
  return (
    <Modal title="New source" isOpen onClose={onClose}>
      <DialogForm
        action="Create source"
        isBusy={create.isPending}
        disabled={fields.name.trim() === ''}
        onSubmit={submit}
        onClose={onClose}
      >
        <NameInput {...inputs} autoFocus />
        <details>
          <summary className="text-ink-soft text-dense">Rate limit, space and fields</summary>
          <div className="mt-3 flex flex-col gap-4">
            <LimitInputs {...inputs} />
          </div>
        </details>
        <ErrorText error={create.error} />
      </DialogForm>
    </Modal>
  )
}

function Created({ source, onClose }: NewSourceProps & { readonly source: Source }): ReactElement {
  const { key } = source.writeKeys[0]!
  return (
    <Modal title={`${shownText(source.name, 80)} is ready`} place="wide" isOpen onClose={onClose}>
      <div className="flex flex-col gap-4">
        <div>
          <p className="text-dense font-medium">Write key</p>
          <IdText id={key} what="the write key" />
        </div>
        <h3 className="font-semibold">Send your first event</h3>
        <SnippetTabs writeKey={key} />
        <footer className="flex flex-wrap justify-end gap-2">
          <Link
            to="/destinations"
            className="text-accent text-dense self-center px-2 font-medium hover:underline"
          >
            Add a destination
          </Link>
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </div>
    </Modal>
  )
}
