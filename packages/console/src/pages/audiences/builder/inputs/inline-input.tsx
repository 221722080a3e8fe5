import { type ComponentProps, type ReactElement, useId } from 'react'
import { classNames } from '../../../../design/class-names.ts'
import { Select, TextInput } from '../../../../design/controls/field.tsx'

const WIDTHS = {
  short: 'w-20',
  long: 'min-w-36 flex-1',
  name: 'min-w-36 grow basis-72',
} as const

interface InlineInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'size'> {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Names to offer. */
  readonly offers?: readonly string[]
  /** `short` for a number; `name` for a long name, on a line of its own where there is no room beside what is before it. */
  readonly size?: keyof typeof WIDTHS
}

/** An input in a sentence. Its label is for screen readers, and is the placeholder, too. */
export function InlineInput({
  label,
  onChange,
  offers,
  size = 'long',
  ...rest
}: InlineInputProps): ReactElement {
  const id = useId()
  const hasOffers = offers !== undefined && offers.length > 0
  return (
    <span className={classNames('block', WIDTHS[size])}>
      <TextInput
        aria-label={label}
        placeholder={size === 'short' ? undefined : label}
        list={hasOffers ? id : undefined}
        onChange={({ target }) => onChange(target.value)}
        {...rest}
      />
      {hasOffers && (
        <datalist id={id}>
          {offers.map((each) => (
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
  readonly options: readonly (readonly [value: Value, words: string])[]
  readonly onPick: (value: Value) => void
  readonly title?: string
}

/** A choice in a sentence. */
export function InlineSelect<Value extends string>({
  label,
  onPick,
  ...rest
}: InlineSelectProps<Value>): ReactElement {
  return (
    <span className="block max-w-full">
      <Select aria-label={label} onPick={(value) => onPick(value as Value)} {...rest} />
    </span>
  )
}
