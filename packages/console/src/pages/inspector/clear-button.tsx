import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Confirm } from '../../design/windows/confirm.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import { counted } from '../../format/figures.ts'

interface ClearButtonProps {
  readonly kept: number
}

/** Removes what is kept, after a question. */
export function ClearButton({ kept }: ClearButtonProps): ReactElement | undefined {
  const client = useQueryClient()
  const mayEdit = useMay('editor')
  const [isAsking, setAsking] = useState(false)
  if (!mayEdit) return undefined
  return (
    <>
      <Button onClick={() => setAsking(true)}>Clear…</Button>
      {isAsking && (
        <Confirm
          title={`Remove ${counted(kept, 'request')}?`}
          action="Remove them"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const { removed } = await api.clearInspector()
            await client.invalidateQueries({ queryKey: ['inspector'] })
            toast(`${counted(removed, 'request')} removed.`)
          }}
        >
          <p>
            The requests are removed for everybody who uses this service. Events, deliveries and
            their attempts stay.
          </p>
        </Confirm>
      )}
    </>
  )
}
