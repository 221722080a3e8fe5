import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { CodeText } from '../../design/texts/code-text.tsx'
import { shownText } from '../../format/shown-text.ts'
import type { Explanation } from './explanations.ts'

interface ExplanationTextProps {
  readonly explanation: Explanation
  readonly destinationId?: string
}

const PAGES = {
  destination: ['/destinations/$id', 'Open destination'],
  destinations: ['/destinations', 'Open destinations'],
  sources: ['/sources', 'Open sources'],
  system: ['/system', 'Open System'],
} as const

/** A cause, its remedy, and a link to the page of the remedy. */
export function ExplanationText({
  explanation,
  destinationId = '',
}: ExplanationTextProps): ReactElement {
  const { cause, remedy, page } = explanation
  const [to, words] = page === undefined ? [] : PAGES[page]
  return (
    <p className="max-w-prose">
      {shownText(cause, 500)} <CodeText text={remedy} />{' '}
      {to !== undefined && (
        <Link to={to} params={{ id: destinationId }} className="text-accent underline">
          {words}
        </Link>
      )}
    </p>
  )
}
