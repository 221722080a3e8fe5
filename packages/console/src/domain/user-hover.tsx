import { lazy, type ReactElement, type ReactNode, Suspense } from 'react'
import { HoverCard } from '../design/hover-card.tsx'
import type { UserCardProps } from './user-card.tsx'

// Lazy, because few pages need it at once.
const UserCard = lazy(() =>
  import('./user-card.tsx').then(({ UserCard: card }) => ({ default: card })),
)

interface UserHoverProps extends Omit<UserCardProps, 'userId'> {
  readonly userId: string | null
  readonly children: ReactNode
}

/** Facts about a user, while the pointer rests on the id. */
export function UserHover({ userId, children, ...user }: UserHoverProps): ReactElement {
  if (userId === null) return <>{children}</>
  const card = (): ReactElement => (
    <Suspense fallback="Loading…">
      <UserCard userId={userId} {...user} />
    </Suspense>
  )
  return <HoverCard card={card}>{children}</HoverCard>
}
