import type { ReactElement } from 'react'
import { Time } from '../../design/texts/time.tsx'
import { wholeNumber } from '../../format/figures.ts'

interface WaitingTextProps {
  readonly pending: number
  readonly held: number
  readonly oldestPendingAt: string | null
}

/** What waits, and since when: `12 pending, 3 held, the oldest from 4 min ago`. */
export function WaitingText({ pending, held, oldestPendingAt }: WaitingTextProps): ReactElement {
  if (pending === 0 && held === 0) return <span className="text-ink-faint">nothing</span>
  return (
    <span>
      {[
        ...(pending > 0 ? [`${wholeNumber(pending)} pending`] : []),
        ...(held > 0 ? [`${wholeNumber(held)} held`] : []),
      ].join(', ')}
      {oldestPendingAt !== null && (
        <span className="text-ink-faint">
          , the oldest from <Time at={oldestPendingAt} />
        </span>
      )}
    </span>
  )
}
