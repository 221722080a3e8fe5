import { EVENT_OUTCOMES, type EventOutcomes } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { StateBadge } from '../../design/state-badge.tsx'
import { OUTCOME_TONES } from './outcome-tones.ts'

interface OutcomeBadgesProps {
  readonly outcomes: EventOutcomes
}

/** The delivery outcomes of an event, the most urgent first. */
export function OutcomeBadges({ outcomes }: OutcomeBadgesProps): ReactElement {
  const all = EVENT_OUTCOMES.filter((outcome) => (outcomes[outcome] ?? 0) > 0)
  const isSingle = all.length === 1 && outcomes[all[0]!] === 1
  if (all.length === 0)
    return (
      <span
        title="The event has not been processed yet, or the source had no destination."
        className="text-ink-faint"
      >
        no deliveries
      </span>
    )
  return (
    <span className="inline-flex flex-wrap gap-1">
      {all.map((outcome) => (
        <StateBadge key={outcome} tone={OUTCOME_TONES[outcome]}>
          {isSingle ? outcome : `${outcomes[outcome]} ${outcome}`}
        </StateBadge>
      ))}
    </span>
  )
}
