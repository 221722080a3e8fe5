import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { shownText } from '../../format/shown-text.ts'
import { whyNotStored } from './explanations.ts'
import type { TracedAttempt } from './trace-query.ts'

interface ResponseQuoteProps {
  readonly attempts: readonly TracedAttempt[]
}

/** The start of the response to the last failed attempt: it often names the cause. */
export function ResponseQuote({ attempts }: ResponseQuoteProps): ReactElement | undefined {
  const failed = attempts.findLast(({ outcome }) => outcome !== 'delivered')
  if (failed?.status === undefined) return undefined
  if (failed.headers === undefined && failed.body === undefined)
    return (
      <p className="text-dense text-ink-soft min-w-0">
        {whyNotStored(failed)} See{' '}
        <Link to="/failures" className="text-accent underline">
          Failures
        </Link>{' '}
        for a similar one.
      </p>
    )
  const body = failed.body?.trim()
  if (body === undefined || body === '') return undefined
  return (
    <p className="text-dense text-ink-soft min-w-0">
      Response <code className="bg-sunken rounded-small px-1 wrap-anywhere">{shownText(body)}</code>
    </p>
  )
}
