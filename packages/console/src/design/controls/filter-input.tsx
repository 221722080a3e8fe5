import { type ComponentProps, type ReactElement, useState } from 'react'
import { TextInput } from './field.tsx'

interface FilterInputProps extends Omit<
  ComponentProps<'input'>,
  'value' | 'defaultValue' | 'onChange'
> {
  /** The text as the URL has it. */
  readonly value: string
  readonly onWrite: (text: string) => void
  /** What is kept of a text that was written. */
  readonly clean?: (text: string) => string
}

/**
 * A filter whose text is in the URL. The URL follows a moment later, so an input that is bound to it would lose letters to a
 * page that is being drawn. What changes the URL otherwise, such as a button that clears it, changes the text, too.
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
    // What was cleaned away does not reach the URL.
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
