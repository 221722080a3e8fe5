import { type ComponentProps, type ReactElement, type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'

const BOX =
  'bg-surface border-line-strong rounded-small text-body border px-2.5 py-1 min-h-8 placeholder:text-ink-faint disabled:opacity-60 aria-invalid:border-failed'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly fieldError?: string | undefined
  readonly children: (ids: InputIds) => ReactNode
  readonly className?: string
}

interface InputIds {
  readonly id: string
  readonly 'aria-describedby': string
  readonly 'aria-invalid': boolean | undefined
}

export function Field({ label, hint, fieldError, children, className }: FieldProps): ReactElement {
  const id = useId()
  const note = `${id}-note`
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="text-dense font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note,
        'aria-invalid': fieldError !== undefined || undefined,
      })}
      <div id={note} className="text-note">
        {fieldError !== undefined && <p className="text-failed">{fieldError}</p>}
        {hint !== undefined && <div className="text-ink-faint">{hint}</div>}
      </div>
    </div>
  )
}

export function TextInput({ className, ...rest }: ComponentProps<'input'>): ReactElement {
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      className={classNames(BOX, 'w-full', className)}
      {...rest}
    />
  )
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>): ReactElement {
  return (
    <textarea
      spellCheck={false}
      className={classNames(BOX, 'w-full font-mono', className)}
      {...rest}
    />
  )
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onPick: (value: string) => void
}

export function Select({ options, onPick, className, ...rest }: SelectProps): ReactElement {
  return (
    <select
      className={classNames(BOX, 'max-w-full pr-8', className)}
      onChange={({ target }) => onPick(target.value)}
      {...rest}
    >
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  )
}

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'onChange' | 'onToggle' | 'type'> {
  readonly label: ReactNode
  readonly onToggle: (checked: boolean) => void
}

export function Checkbox({ label, onToggle, className, ...rest }: CheckboxProps): ReactElement {
  return (
    <label className={classNames('text-dense flex items-start gap-2', className)}>
      <input
        type="checkbox"
        className="accent-accent mt-0.5 size-4 shrink-0"
        onChange={({ target }) => onToggle(target.checked)}
        {...rest}
      />
      <span>{label}</span>
    </label>
  )
}
