import type { ReactElement, ReactNode } from 'react'

interface ChoiceProps {
  readonly group: string
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly disabled?: boolean
}

/** A radio button with a hint. */
export function Choice(props: ChoiceProps): ReactElement {
  const { group, label, hint, isChosen, onChoose, disabled = false } = props
  return (
    <label className="flex items-start gap-2">
      <input
        type="radio"
        name={group}
        className="accent-accent mt-1 size-4 shrink-0"
        checked={isChosen}
        disabled={disabled}
        onChange={onChoose}
      />
      <span className="min-w-0">
        {label}
        {hint !== undefined && <span className="text-ink-faint text-note block">{hint}</span>}
      </span>
    </label>
  )
}
