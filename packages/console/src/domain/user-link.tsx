import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { shownText } from '../format/shown-text.ts'

interface UserLinkProps {
  readonly userId: string | null
  readonly space?: string
  /** In a sentence, where its colour alone would not show that it is a link. */
  readonly isInText?: boolean
}

const MOST = 80

/** The id of a user, with the way to its profile. */
export function UserLink({ userId, space = 'default', isInText }: UserLinkProps): ReactElement {
  if (userId === null) return <span className="text-ink-faint">a user without a userId yet</span>
  return (
    <Link
      to="/users/$userId"
      params={{ userId }}
      search={space === 'default' ? {} : { space }}
      className={isInText ? 'text-accent underline' : 'text-accent hover:underline'}
    >
      {shownText(userId, MOST)}
    </Link>
  )
}
