import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react'
import { problemOf } from '../../api/problem.ts'
import { shownText } from '../../format/shown-text.ts'
import { Button } from '../controls/button.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { Modal } from './modal.tsx'

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
  const [fault, setFault] = useState<string>()
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await on.onConfirm()
      on.onClose()
    } catch (error) {
      setFault(problemOf(error).message)
      setBusy(false)
    }
  }
  return (
    <Modal title={title} isOpen onClose={on.onClose}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
        <div className="text-body flex flex-col gap-2">{children}</div>
        {mustType !== undefined && (
          <Field label={`Type “${shownText(mustType)}” to confirm`}>
            {(ids) => (
              <TextInput {...ids} value={typed} onChange={({ target }) => setTyped(target.value)} />
            )}
          </Field>
        )}
        {fault !== undefined && (
          <p role="alert" className="text-failed">
            {fault}
          </p>
        )}
        <footer className="flex justify-end gap-2">
          <Button onClick={on.onClose}>Cancel</Button>
          <Button
            type="submit"
            look={mustType === undefined ? 'main' : 'danger'}
            isBusy={isBusy}
            disabled={mustType !== undefined && !isSame(typed, mustType)}
          >
            {action}
          </Button>
        </footer>
      </form>
    </Modal>
  )
}

/** Invisible characters cannot be typed, so the displayed text is enough. */
function isSame(typed: string, name: string): boolean {
  return typed === name || typed.trim() === shownText(name).trim()
}
