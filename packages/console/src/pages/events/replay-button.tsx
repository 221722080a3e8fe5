import { type ReactElement, useState } from 'react'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import type { Names } from '../../domain/names.ts'
import { replayChoices } from '../../domain/trace/replay-choices.ts'
import { ReplayDialog } from '../../domain/trace/replay-dialog.tsx'
import type { Trace } from '../../domain/trace/trace-query.ts'
import { useKeys } from '../../shell/keys/keys.ts'

interface ReplayButtonProps {
  readonly trace: Trace
  readonly names: Names
}

/** Sends the event again, for who may; `r` does the same. */
export function ReplayButton({ trace, names }: ReplayButtonProps): ReactElement | undefined {
  const [isOpen, setOpen] = useState(false)
  const mayReplay = useMay('editor')
  const choices = mayReplay ? replayChoices(trace) : []
  useKeys({ r: choices.length === 0 ? undefined : () => setOpen(true) })
  if (choices.length === 0) return undefined
  return (
    <>
      <Button look="main" aria-keyshortcuts="r" onClick={() => setOpen(true)}>
        <Icon name="retry" /> Replay
      </Button>
      {isOpen && (
        <ReplayDialog
          choices={choices}
          names={names}
          eventId={trace.id}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
