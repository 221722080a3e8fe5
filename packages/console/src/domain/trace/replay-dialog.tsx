import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Confirm } from '../../design/windows/confirm.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import type { Names } from '../names.ts'
import type { ReplayChoice } from './replay-choices.ts'

interface ReplayDialogProps {
  readonly choices: readonly ReplayChoice[]
  readonly names: Names
  readonly eventId: string
  readonly onClose: () => void
}

/** Asks to which destination the event is sent again, and says what will happen there. */
export function ReplayDialog({
  choices,
  names,
  eventId,
  onClose,
}: ReplayDialogProps): ReactElement {
  const [picked, setPicked] = useState(choices[0]!.destinationId)
  const client = useQueryClient()
  // A choice can end while the dialog is open.
  const choice = choices.find(({ destinationId }) => destinationId === picked) ?? choices[0]!
  const send = async (): Promise<void> => {
    await choice.send()
    toast(`It is being sent again to ${names.destination(choice.destinationId)}.`)
    await client.invalidateQueries({ queryKey: ['events', 'trace', eventId] })
  }
  return (
    <Confirm title="Replay this event" action="Replay" onConfirm={send} onClose={onClose}>
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2">Send the event again to:</legend>
        {choices.map(({ destinationId, effect }) => (
          <label key={destinationId} className="flex items-start gap-2">
            <input
              type="radio"
              name="destination"
              className="accent-accent mt-1 size-4 shrink-0"
              checked={destinationId === choice.destinationId}
              onChange={() => setPicked(destinationId)}
            />
            <span>
              <span className="font-medium">{names.destination(destinationId)}</span>
              <span className="text-ink-soft block">{effect}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  )
}
