import type { ReactNode } from 'react'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { useNow } from '../../../format/use-now.ts'

interface MomentProps {
  readonly at: string | null
}

/** When it happened; `never` where it has not. */
export function Moment({ at }: MomentProps): ReactNode {
  return at === null ? 'never' : <Time at={at} />
}

/** When it ends, or that it has ended. */
export function Expiry({ at }: MomentProps): ReactNode {
  const now = useNow()
  if (at !== null && Date.parse(at) <= now) return <StateBadge tone="declined">Expired</StateBadge>
  return <Moment at={at} />
}
