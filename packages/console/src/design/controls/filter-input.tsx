import { type ComponentProps, type ReactElement, useState } from 'react'
import { TextInput } from './field.tsx'

interface FilterInputProps extends Omit<
  ComponentProps<'input'>,
  'value' | 'defaultValue' | 'onChange'
> {
  /** The text in the URL. */
  readonly value: string
  readonly onWrite: (text: string) => void
  /** Sanitises the input. */
  readonly clean?: (text: string) => string
}

/**
 * A filter whose text is in the URL. The URL updates late, so an input bound to it would drop characters while the page renders.
 * Other changes to the URL, such as a button that clears it, replace the text.
 */
export function FilterInput({ value, onWrite, clean, ...rest }: FilterInputProps): ReactElement {
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  const [written, setWritten] = useState<readonly string[]>([])
  if (value !== seen) {
    setSeen(value)
    const place = written.indexOf(value)
    setWritten(place === -1 || value === text ? [] : written.slice(place + 1))
    if (place === -1) setText(value)
  }
  const write = (next: string): void => {
    setText(next)
    // If sanitising undoes the edit, the URL stays the same.
    if (next !== text) setWritten([...written, next])
    onWrite(next)
  }
  return (
    <TextInput
      {...rest}
      value={text}
      onChange={({ target }) => write(clean?.(target.value) ?? target.value)}
    />
  )
}
