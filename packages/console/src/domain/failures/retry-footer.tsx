import type { ReactElement } from 'react'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/controls/button.tsx'
import { counted, wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

interface RetryFooterProps {
  /** What a replay would send again; `undefined` where none is asked for. */
  readonly dryRun: { readonly matches: number | undefined } | undefined
  readonly error: unknown
  readonly progress: number | undefined
  readonly isBusy: boolean
  readonly onRetry: () => void
  readonly onClose: () => void
}

/** How many will be sent again, how far it is, and the buttons. */
export function RetryFooter(props: RetryFooterProps): ReactElement {
  const { dryRun, error, progress, isBusy, onRetry, onClose } = props
  const nothing = dryRun !== undefined && dryRun.matches === 0
  return (
    <div className="mt-4 flex flex-col gap-3">
      <p role="status" className="text-ink-soft">
        {isBusy && progress !== undefined
          ? `${wholeNumber(progress)} tried again so far …`
          : dryRun === undefined
            ? ''
            : dryRun.matches === undefined
              ? 'Counting …'
              : nothing
                ? 'Nothing to send again.'
                : `${counted(dryRun.matches, 'delivery', 'deliveries')} will be sent again.`}
      </p>
      {Boolean(error) && (
        <p role="alert" className="text-failed">
          {shownText(problemOf(error).message)}
        </p>
      )}
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose}>{isBusy ? 'Stop' : 'Cancel'}</Button>
        <Button look="main" isBusy={isBusy} disabled={nothing} onClick={onRetry}>
          Retry
        </Button>
      </footer>
    </div>
  )
}
