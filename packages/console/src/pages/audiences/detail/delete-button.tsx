import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Confirm } from '../../../design/windows/confirm.tsx'
import { Checkbox } from '../../../design/controls/field.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { counted } from '../../../format/figures.ts'
import { nameToType } from '../../../format/name-to-type.ts'
import { shownText } from '../../../format/shown-text.ts'
import type { TabProps } from './tab-props.ts'

/** Deletes it, after its name was typed. */
export function DeleteButton({ kind, record }: TabProps): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const [isAnnounced, setAnnounced] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  const { id, name, size, destinationIds } = record
  const remove = async (): Promise<void> => {
    await kind.remove(id, isAnnounced)
    await client.invalidateQueries({ queryKey: [kind.resource], exact: true })
    toast(isAnnounced ? 'It is deleted when every user is announced.' : 'Deleted.')
    await navigate({ to: '/audiences', search: kind.listSearch, replace: true })
  }
  return (
    <>
      <p className="text-ink-soft mb-3">
        Its values of {counted(size, 'user')} are deleted. Profiles and events stay.
      </p>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {isOpen && (
        <Confirm
          title={`Delete the ${kind.one}?`}
          action="Delete"
          mustType={nameToType(name, id)}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          <p>
            This deletes “{shownText(name, 100)}” with its values of {counted(size, 'user')}. It
            cannot be undone.
          </p>
          {destinationIds.length > 0 && (
            <Checkbox
              label="First tell its destinations, for each user, that the value is gone"
              checked={isAnnounced}
              onToggle={setAnnounced}
            />
          )}
        </Confirm>
      )}
    </>
  )
}
