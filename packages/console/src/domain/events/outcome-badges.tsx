import { EVENT_OUTCOMES, type EventOutcomes } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { StateBadge } from '../../design/state-badge.tsx'
import { OUTCOME_TONES } from './outcome-tones.ts'

const NONE = 'Not decided or not delivered yet, or there was no destination.'

/** What became of an event at its destinations, with a count where there are several. What needs a person comes first. */
export function OutcomeBadges({ outcomes }: { readonly outcomes: EventOutcomes }): ReactElement {
  const all = EVENT_OUTCOMES.filter((outcome) => (outcomes[outcome] ?? 0) > 0)
  const isSingle = all.length === 1 && outcomes[all[0]!] === 1
  if (all.length === 0)
    return (
      <span title={NONE} className="text-ink-faint">
        none
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
