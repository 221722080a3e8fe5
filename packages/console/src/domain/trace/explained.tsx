import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { shownText } from '../../format/shown-text.ts'
import type { Explanation } from './explanations.ts'

interface ExplainedProps {
  readonly explanation: Explanation
  readonly destinationId: string
}

/** Why something is as it is, and the remedy with the way to it. */
export function Explained({ explanation, destinationId }: ExplainedProps): ReactElement {
  const { cause, remedy, page } = explanation
  return (
    <p className="max-w-prose">
      {shownText(cause, 500)} {remedy}{' '}
      {page === 'destination' && (
        <Link
          to="/destinations/$id"
          params={{ id: destinationId }}
          className="text-accent underline"
        >
          Open the destination
        </Link>
      )}
      {page === 'system' && (
        <Link to="/system" className="text-accent underline">
          Open the system page
        </Link>
      )}
    </p>
  )
}
