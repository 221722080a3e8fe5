import { type ComponentProps, type ReactElement, useId } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { Select, TextInput } from '../../../design/controls/field.tsx'

const WIDTHS = {
  short: 'w-20',
  long: 'min-w-36 flex-1',
  name: 'min-w-36 grow basis-72',
} as const

interface InlineInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'size'> {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly suggestions?: readonly string[]
  /** `short` for numbers; `name` for long names, which wrap to a new line if needed. */
  readonly size?: keyof typeof WIDTHS
}

/** An input in a sentence, with its label as placeholder. */
export function InlineInput(props: InlineInputProps): ReactElement {
  const { label, onChange, suggestions = [], size = 'long', ...rest } = props
  const id = useId()
  return (
    <span className={classNames('block', WIDTHS[size])}>
      <TextInput
        aria-label={label}
        placeholder={size === 'short' ? undefined : label}
        list={suggestions.length > 0 ? id : undefined}
        onChange={({ target }) => onChange(target.value)}
        {...rest}
      />
      {suggestions.length > 0 && (
        <datalist id={id}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </span>
  )
}

interface InlineSelectProps<Value extends string> {
  readonly id?: string
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly onPick: (value: Value) => void
  readonly title?: string
}

/** A choice in a sentence. */
export function InlineSelect<Value extends string>(props: InlineSelectProps<Value>): ReactElement {
  const { label, onPick, ...rest } = props
  return <Select aria-label={label} onPick={(value) => onPick(value as Value)} {...rest} />
}
