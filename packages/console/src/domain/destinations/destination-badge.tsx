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

export function DestinationBadge(props: DestinationBadgeProps): ReactElement {
  const { tone, words } = destinationState(props.destination, props.health)
  return (
    <span className="inline-flex flex-col items-start gap-0.5">
      <StateBadge tone={tone}>{words}</StateBadge>
      <WhyState {...props} />
    </span>
  )
}

export function WhyState({ destination, health }: DestinationBadgeProps): ReactElement | undefined {
  const { why, since } = destinationState(destination, health)
  if (why === undefined) return undefined
  return (
    <span className="text-ink-faint text-note">
      {why} {since !== undefined && <Time at={since} />}
    </span>
  )
}
