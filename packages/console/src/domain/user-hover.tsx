import { lazy, type ReactElement, type ReactNode, Suspense } from 'react'
import { HoverCard } from '../design/hover-card.tsx'

// Lazy, because few pages need it immediately.
const UserCard = lazy(() =>
  import('./user-card.tsx').then(({ UserCard: card }) => ({ default: card })),
)

interface UserHoverProps {
  readonly userId: string | null
  readonly space: string
  readonly children: ReactNode
}

/** Facts about a user, while the pointer rests on the id. */
export function UserHover({ userId, space, children }: UserHoverProps): ReactElement {
  if (userId === null) return <>{children}</>
  const card = (): ReactElement => (
    <Suspense fallback="Loading…">
      <UserCard userId={userId} space={space} />
    </Suspense>
  )
  return <HoverCard card={card}>{children}</HoverCard>
}
