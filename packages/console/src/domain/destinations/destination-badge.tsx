import type { ReactElement } from 'react'
import type { Destination } from '@hookline/cli/management-client'
import { StateBadge } from '../../design/state-badge.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useProblemOf } from '../problems.ts'
import type { Health } from './destination-query.ts'
import { type DestinationState, destinationState } from './destination-state.ts'

interface DestinationBadgeProps {
  readonly destination: Destination
  readonly health?: Health | undefined
}

export function DestinationBadge({ destination, health }: DestinationBadgeProps): ReactElement {
  return <StateAndReason {...useDestinationState(destination, health)} />
}

export function StateAndReason(state: DestinationState): ReactElement {
  return (
    <span className="inline-flex flex-col items-start gap-0.5">
      <StateBadge tone={state.tone}>{state.words}</StateBadge>
      <WhyState {...state} />
    </span>
  )
}

export function useDestinationState(
  destination: Destination,
  health: Health | undefined,
): DestinationState {
  return destinationState(destination, health, useProblemOf(destination.id))
}

export function WhyState({ why, since }: DestinationState): ReactElement | undefined {
  if (why === undefined) return undefined
  return (
    <span className="text-ink-faint text-note">
      {why} {since !== undefined && <Time at={since} />}
    </span>
  )
}
