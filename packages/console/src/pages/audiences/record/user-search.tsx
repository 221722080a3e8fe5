import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { TextInput } from '../../../design/controls/field.tsx'

interface UserSearchProps {
  readonly label: string
  /** What the button does with the user. */
  readonly action: string
  /** The userId that is there at first. */
  readonly start?: string
  readonly onUser: (userId: string) => void
}

/** Asks for the userId of one user. */
export function UserSearch({ label, action, start = '', onUser }: UserSearchProps): ReactElement {
  const [userId, setUserId] = useState(start)
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (userId !== '') onUser(userId)
  }
  return (
    <form onSubmit={submit} role="search" className="flex max-w-md items-center gap-2">
      <label htmlFor={id} className="text-dense font-medium whitespace-nowrap">
        {label}
      </label>
      <TextInput
        id={id}
        placeholder="userId"
        value={userId}
        onChange={({ target }) => setUserId(target.value)}
      />
      <Button type="submit" disabled={userId === ''}>
        {action}
      </Button>
    </form>
  )
}
