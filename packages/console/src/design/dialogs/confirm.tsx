import { type ReactElement, type ReactNode, useState } from 'react'
import { problemOf } from '../../api/problem.ts'
import { shownText } from '../../format/shown-text.ts'
import { Field, TextInput } from '../controls/field.tsx'
import { Modal } from './modal.tsx'
import { DialogForm } from './dialog-form.tsx'

interface ConfirmProps {
  readonly title: string
  readonly children: ReactNode
  readonly action: string
  /** The text to type before a destructive action. */
  readonly mustType?: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

export function Confirm({ title, children, action, mustType, ...on }: ConfirmProps): ReactElement {
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const submit = async (): Promise<void> => {
    setBusy(true)
    try {
      await on.onConfirm()
      on.onClose()
    } catch (error) {
      setFailure(problemOf(error).message)
      setBusy(false)
    }
  }
  return (
    <Modal title={title} isOpen onClose={on.onClose}>
      <DialogForm
        action={action}
        variant={mustType === undefined ? 'primary' : 'danger'}
        isBusy={isBusy}
        disabled={mustType !== undefined && !isSame(typed, mustType)}
        onSubmit={() => void submit()}
        onClose={on.onClose}
      >
        <div className="text-body flex flex-col gap-2">{children}</div>
        {mustType !== undefined && (
          <Field label={`Type “${shownText(mustType)}” to confirm`}>
            {(ids) => (
              <TextInput {...ids} value={typed} onChange={({ target }) => setTyped(target.value)} />
            )}
          </Field>
        )}
        {failure !== undefined && (
          <p role="alert" className="text-failed">
            {failure}
          </p>
        )}
      </DialogForm>
    </Modal>
  )
}

/** Invisible characters cannot be typed, so the displayed text is enough. */
function isSame(typed: string, name: string): boolean {
  return typed === name || typed.trim() === shownText(name).trim()
}
