import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Choice } from '../../design/controls/choice.tsx'
import { Confirm } from '../../design/dialogs/confirm.tsx'
import { toast } from '../../design/dialogs/toasts.tsx'
import type { Names } from '../names.ts'
import type { ReplayChoice } from './replay-choices.ts'

interface ReplayDialogProps {
  readonly choices: readonly ReplayChoice[]
  readonly names: Names
  readonly eventId: string
  readonly onClose: () => void
}

export function ReplayDialog({
  choices,
  names,
  eventId,
  onClose,
}: ReplayDialogProps): ReactElement {
  const [picked, setPicked] = useState(choices[0]!.destinationId)
  const client = useQueryClient()
  // A choice can disappear while the dialog is open.
  const choice = choices.find(({ destinationId }) => destinationId === picked) ?? choices[0]!
  const send = async (): Promise<void> => {
    await choice.send()
    toast(`Replaying the event to ${names.destination(choice.destinationId)}.`)
    await client.invalidateQueries({ queryKey: ['events', 'trace', eventId] })
  }
  return (
    <Confirm title="Replay event" action="Replay" onConfirm={send} onClose={onClose}>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2">Destination</legend>
        {choices.map(({ destinationId, state, effect }) => (
          <Choice
            key={destinationId}
            group="destination"
            label={
              <>
                <span className="font-medium">{names.destination(destinationId)}</span> ({state})
              </>
            }
            hint={effect}
            isChosen={destinationId === choice.destinationId}
            onChoose={() => setPicked(destinationId)}
          />
        ))}
      </fieldset>
    </Confirm>
  )
}
