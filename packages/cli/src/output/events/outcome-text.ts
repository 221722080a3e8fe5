import { EVENT_OUTCOMES, type EventOutcomes } from '@hookline/protocol'

/** What became of an event: `delivered`, or with several destinations `1 failed, 2 delivered`. Empty while nothing is recorded. */
export function outcomeText(outcomes: EventOutcomes): string {
  const all = EVENT_OUTCOMES.flatMap((outcome) => {
    const destinations = outcomes[outcome] ?? 0
    return destinations === 0 ? [] : [{ outcome, destinations }]
  })
  if (all.length === 1 && all[0]!.destinations === 1) return all[0]!.outcome
  return all.map(({ outcome, destinations }) => `${destinations} ${outcome}`).join(', ')
}
