import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { TextInput } from '../../../design/controls/field.tsx'

/** Leads to the profile of the user with this id. */
export function FindUser(): ReactElement {
  const [userId, setUserId] = useState('')
  const navigate = useNavigate()
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (userId !== '') void navigate({ to: '/users/$userId', params: { userId } })
  }
  return (
    <form onSubmit={submit} role="search" className="flex items-center gap-2">
      <label htmlFor={id} className="text-dense font-medium whitespace-nowrap">
        Find a user
      </label>
      <TextInput
        id={id}
        placeholder="userId"
        value={userId}
        onChange={({ target }) => setUserId(target.value)}
      />
      <Button type="submit" disabled={userId === ''}>
        Open
      </Button>
    </form>
  )
}
