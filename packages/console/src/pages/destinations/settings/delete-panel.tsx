import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Confirm } from '../../../design/windows/confirm.tsx'
import { Panel } from '../../../design/panel.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { wholeNumber } from '../../../format/figures.ts'
import { nameToType } from '../../../format/name-to-type.ts'
import { shownText } from '../../../format/shown-text.ts'

interface DeletePanelProps {
  readonly destination: HealthyDestination
}

export function DeletePanel({ destination }: DeletePanelProps): ReactElement {
  const { id, name, health } = destination
  const [isAsking, setAsking] = useState(false)
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    await api.removeDestination(id)
    toast(`${shownText(name, 60)} is deleted.`)
    await navigate({ to: '/destinations' })
    client.removeQueries({ queryKey: ['destinations', id] })
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  return (
    <Panel title="Delete">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose">
          Its events stay stored. What waits for it is not delivered, and its settings and secret
          are gone.
        </p>
        <Button look="danger" onClick={() => setAsking(true)}>
          Delete this destination …
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={`Delete ${shownText(name, 60)}?`}
          action="Delete the destination"
          mustType={nameToType(name, id)}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>
            What waits for it is not delivered: {wholeNumber(health.pending)} pending,{' '}
            {wholeNumber(health.held)} held. This cannot be undone.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
