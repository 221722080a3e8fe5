import type { ReactElement } from 'react'
import type { Destination } from '../../api/generated/management-client.ts'
import { StateBadge } from '../../design/state-badge.tsx'
import { Time } from '../../design/time.tsx'
import type { Health } from './destination-query.ts'
import { destinationState } from './destination-state.ts'

interface DestinationBadgeProps {
  readonly destination: Destination
  readonly health?: Health | undefined
}

/** How a destination does: its state, since when, and why. */
export function DestinationBadge({ destination, health }: DestinationBadgeProps): ReactElement {
  const { tone, words, why, since } = destinationState(destination, health)
  return (
    <span className="inline-flex flex-col items-start gap-0.5">
      <StateBadge tone={tone}>{words}</StateBadge>
      {(why !== undefined || since !== undefined) && (
        <span className="text-ink-faint text-note">
          {why} {since !== undefined && <Time at={since} />}
        </span>
      )}
    </span>
  )
}
