import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { StateBadge } from '../../design/state-badge.tsx'
import { Time } from '../../design/texts/time.tsx'
import type { Health } from './destination-query.ts'
import { destinationState } from './destination-state.ts'

interface DestinationBadgeProps {
  readonly destination: Destination
  readonly health?: Health | undefined
}

/** How a destination does: its state, since when, and why. */
export function DestinationBadge({ destination, health }: DestinationBadgeProps): ReactElement {
  const { tone, words } = destinationState(destination, health)
  return (
    <span className="inline-flex flex-col items-start gap-0.5">
      <StateBadge tone={tone}>{words}</StateBadge>
      <WhyState destination={destination} health={health} />
    </span>
  )
}

/** Why it is not simply working, and since when. */
export function WhyState({ destination, health }: DestinationBadgeProps): ReactElement | undefined {
  const { why, since } = destinationState(destination, health)
  if (why === undefined) return undefined
  return (
    <span className="text-ink-faint text-note">
      {why} {since !== undefined && <Time at={since} />}
    </span>
  )
}
