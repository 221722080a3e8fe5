import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox } from '../../../design/controls/field.tsx'
import { Confirm } from '../../../design/dialogs/confirm.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { countText } from '../../../format/figures.ts'
import { confirmationText } from '../../../format/confirmation-text.ts'
import { shownText } from '../../../format/shown-text.ts'
import type { ComputationProps } from '../record/computation-kind.ts'

export function DeleteButton({ kind, record }: ComputationProps): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const [isAnnounced, setAnnounced] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  const { id, name, size, destinationIds } = record
  const remove = async (): Promise<void> => {
    await kind.remove(id, isAnnounced)
    await client.invalidateQueries({ queryKey: [kind.resource], exact: true })
    toast(isAnnounced ? 'Notifying destinations, then deleting.' : 'Deleted.')
    await navigate({ to: '/audiences', search: kind.listSearch, replace: true })
  }
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {isOpen && (
        <Confirm
          title={`Delete this ${kind.one}?`}
          action="Delete"
          mustType={confirmationText(name, id)}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          <p>
            This permanently deletes “{shownText(name, 100)}” and its values for{' '}
            {countText(size, 'user')}. Profiles and events are kept.
          </p>
          {destinationIds.length > 0 && (
            <Checkbox
              label={`Before deleting, notify destinations as if every user had ${kind.param === 'audience' ? 'left' : 'lost the value'}`}
              checked={isAnnounced}
              onToggle={setAnnounced}
            />
          )}
        </Confirm>
      )}
    </>
  )
}
