import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { shownText } from '../../format/shown-text.ts'
import type { Explanation } from './explanations.ts'

interface ExplainedProps {
  readonly explanation: Explanation
  readonly destinationId?: string
}

const PAGES = {
  destinations: ['/destinations', 'Open the destinations'],
  sources: ['/sources', 'Open the sources'],
  system: ['/system', 'Open the system page'],
} as const

/** Why something is as it is, and the remedy with the way to it. */
export function Explained({ explanation, destinationId = '' }: ExplainedProps): ReactElement {
  const { cause, remedy, page } = explanation
  return (
    <p className="max-w-prose">
      {shownText(cause, 500)} {remedy}{' '}
      {page !== undefined && <PageLink {...{ page, destinationId }} />}
    </p>
  )
}

interface PageLinkProps {
  readonly page: NonNullable<Explanation['page']>
  readonly destinationId: string
}

function PageLink({ page, destinationId }: PageLinkProps): ReactElement {
  const look = 'text-accent underline'
  if (page === 'destination')
    return (
      <Link to="/destinations/$id" params={{ id: destinationId }} className={look}>
        Open the destination
      </Link>
    )
  const [to, words] = PAGES[page]
  return (
    <Link to={to} className={look}>
      {words}
    </Link>
  )
}
