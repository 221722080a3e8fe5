import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { TextInput } from './field.tsx'

interface SearchFormProps {
  readonly label: string
  readonly placeholder?: string
  readonly search: string
  readonly onSearch: (text: string) => void
  /** More controls after the button. */
  readonly children?: ReactNode
}

export function SearchForm({
  label,
  placeholder = label,
  search,
  onSearch,
  children,
}: SearchFormProps): ReactElement {
  const [text, setText] = useState(search)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSearch(text)
  }
  return (
    <form onSubmit={submit} className="border-line flex flex-wrap gap-2 border-b px-4 py-3">
      <TextInput
        data-filter
        type="search"
        aria-label={label}
        placeholder={placeholder}
        className="max-w-80 min-w-64 flex-1"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit">Find</Button>
      {children}
    </form>
  )
}
