import type { ReactElement, ReactNode } from 'react'
import { Button } from '../controls/button.tsx'

interface DialogFormProps {
  /** The text of the button that submits the form. */
  readonly action: string
  readonly variant?: 'primary' | 'danger'
  readonly isBusy: boolean
  readonly disabled?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form in a dialog, with buttons that cancel and submit it. */
export function DialogForm({
  action,
  variant = 'primary',
  isBusy,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: DialogFormProps): ReactElement {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      className="flex flex-col gap-4"
    >
      {children}
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant={variant} isBusy={isBusy} disabled={disabled}>
          {action}
        </Button>
      </footer>
    </form>
  )
}
