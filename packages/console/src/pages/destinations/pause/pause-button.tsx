import { type ReactElement, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Confirm } from '../../../design/windows/confirm.tsx'
import { Icon } from '../../../design/icon.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { useAction } from '../../../domain/use-action.ts'
import { shownText } from '../../../format/shown-text.ts'

interface PauseButtonProps {
  readonly destination: Destination
}

/** Pauses a destination, or resumes it and each of its webhooks. */
export function PauseButton({ destination }: PauseButtonProps): ReactElement | undefined {
  const mayEdit = useMay('editor')
  const { paused, settings } = destination
  if (!mayEdit) return undefined
  const isRunning = paused === null && settings.webhooks.every((each) => each.paused === null)
  return isRunning ? <Pause destination={destination} /> : <Resume id={destination.id} />
}

function Resume({ id }: { readonly id: string }): ReactElement {
  const { isBusy, run } = useAction(
    () => api.resumeDestination(id, {}),
    'Resumed. What was held is sent now.',
    ['destinations', 'deliveries'],
  )
  return (
    <Button look="main" isBusy={isBusy} onClick={run}>
      <Icon name="play" /> Resume
    </Button>
  )
}

function Pause({ destination }: PauseButtonProps): ReactElement {
  const { id, name } = destination
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const pause = async (): Promise<void> => {
    await api.pauseDestination(id, {})
    toast('Paused. Its deliveries are held until it is resumed.')
    await client.invalidateQueries({ queryKey: ['destinations'] })
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        <Icon name="pause" /> Pause
      </Button>
      {isAsking && (
        <Confirm
          title={`Pause ${shownText(name, 60)}?`}
          action="Pause"
          onConfirm={pause}
          onClose={() => setAsking(false)}
        >
          <p>
            Its deliveries are held until somebody resumes it. New events are held, too, and none is
            lost while the pause lasts.
          </p>
        </Confirm>
      )}
    </>
  )
}
