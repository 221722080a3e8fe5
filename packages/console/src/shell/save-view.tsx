import { type ReactElement, useState } from 'react'
import { Field, TextInput } from '../design/controls/field.tsx'
import { Modal } from '../design/dialogs/modal.tsx'
import { DialogForm } from '../design/dialogs/dialog-form.tsx'
import { MAX_NAME_CHARACTERS, saveView } from './saved-views.tsx'

interface SaveViewProps {
  readonly to: string
  readonly onClose: () => void
}

/** A dialog that saves the page with its filters. */
export function SaveView({ to, onClose }: SaveViewProps): ReactElement {
  const [name, setName] = useState('')
  return (
    <Modal title="Save view" isOpen onClose={onClose}>
      <DialogForm
        action="Save"
        isBusy={false}
        disabled={name.trim() === ''}
        onSubmit={() => {
          saveView({ name: name.trim(), to })
          onClose()
        }}
        onClose={onClose}
      >
        <Field label="Name" hint="Saves this page with its filters, in this browser only.">
          {(ids) => (
            <TextInput
              {...ids}
              value={name}
              maxLength={MAX_NAME_CHARACTERS}
              placeholder="Failed orders"
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
      </DialogForm>
    </Modal>
  )
}
