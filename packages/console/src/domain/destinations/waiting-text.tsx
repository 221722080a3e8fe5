import type { ReactElement } from 'react'
import { Time } from '../../design/texts/time.tsx'
import { wholeNumber } from '../../format/figures.ts'

interface WaitingTextProps {
  readonly pending: number
  readonly held: number
  readonly oldestPendingAt: string | null
}

/** `12 pending, 3 held, oldest 4 min ago` */
export function WaitingText({ pending, held, oldestPendingAt }: WaitingTextProps): ReactElement {
  const counts = [
    ...(pending > 0 ? [`${wholeNumber(pending)} pending`] : []),
    ...(held > 0 ? [`${wholeNumber(held)} held`] : []),
  ]
  if (counts.length === 0) return <span className="text-ink-faint">none</span>
  return (
    <span>
      {counts.join(', ')}
      {oldestPendingAt !== null && (
        <span className="text-ink-faint">
          , oldest <Time at={oldestPendingAt} />
        </span>
      )}
    </span>
  )
}
