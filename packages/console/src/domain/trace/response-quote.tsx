import type { ReactElement } from 'react'
import { shownText } from '../../format/shown-text.ts'
import type { TracedAttempt } from './trace-query.ts'

const MOST_CHARACTERS = 300

/** The beginning of what the receiver responded to the last attempt that failed: receivers often name the cause themselves. */
export function ResponseQuote({
  attempts,
}: {
  readonly attempts: readonly TracedAttempt[]
}): ReactElement | null {
  const body = attempts.findLast(({ outcome }) => outcome !== 'delivered')?.body?.trim()
  if (body === undefined || body === '') return null
  return (
    <p className="text-dense text-ink-soft min-w-0">
      It responded{' '}
      <code className="bg-sunken rounded-small px-1 break-all">
        {shownText(body, MOST_CHARACTERS)}
      </code>
    </p>
  )
}
