import type { ReactElement, ReactNode } from 'react'
import { Button } from '../controls/button.tsx'

interface WindowFormProps {
  /** The text of the button that submits the form. */
  readonly action: string
  readonly look?: 'main' | 'danger'
  readonly isBusy: boolean
  readonly disabled?: boolean
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A form in a window, with buttons that cancel and submit it. */
export function WindowForm({
  action,
  look = 'main',
  isBusy,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: WindowFormProps): ReactElement {
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
        <Button type="submit" look={look} isBusy={isBusy} disabled={disabled}>
          {action}
        </Button>
      </footer>
    </form>
  )
}
