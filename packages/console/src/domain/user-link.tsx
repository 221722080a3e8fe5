import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { shownText } from '../format/shown-text.ts'
import { UserHover } from './user-hover.tsx'

interface UserLinkProps {
  readonly userId: string | null
  readonly space?: string
  /** Underlines the link within a sentence. */
  readonly isInText?: boolean
}

export function UserLink({ userId, space = 'default', isInText }: UserLinkProps): ReactElement {
  if (userId === null) return <span className="text-ink-faint">anonymous user</span>
  return (
    <UserHover userId={userId} space={space}>
      <Link
        to="/users/$userId"
        params={{ userId }}
        search={space === 'default' ? {} : { space }}
        className={isInText ? 'text-accent underline' : 'text-accent hover:underline'}
      >
        {shownText(userId, 80)}
      </Link>
    </UserHover>
  )
}
