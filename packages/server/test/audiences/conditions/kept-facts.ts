import { type AcceptedEvent, type Event, formatTimestamp } from '@hookline/protocol'
import { EventMatcher } from '../../../src/audiences/conditions/match-event.ts'
import type { FactRetention } from '../../../src/backend/facts.ts'
import type { Fact } from '../../../src/backend/profiles.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'
import type { NaiveEvent } from './naive-evaluation.ts'

/**
 * The facts that a store would keep of these events, by clause, newest first, except for facts that `needed` allows it
 * to remove at `now`. Clauses are numbered in the order of `needed`.
 */
export function keptFacts(
  needed: ReadonlyMap<string, FactRetention>,
  events: readonly NaiveEvent[],
  now: number,
): Map<number, readonly Fact[]> {
  const clauses = [...needed].map(([definition, retention], number) => ({
    number,
    definition,
    retention,
  }))
  const matcher = new EventMatcher(clauses)
  const facts = events.flatMap((event, position) =>
    matcher.factsOf(accepted(event), event.at).map((fact) => ({ ...fact, at: event.at, position })),
  )
  return new Map(
    clauses.map(({ number, retention: { maxAgeMs, maxCount } }) => [
      number,
      facts
        .filter(({ clause, at }) => clause === number && (maxAgeMs === null || at > now - maxAgeMs))
        .toSorted((a, b) => b.at - a.at || b.position - a.position)
        .slice(0, maxCount),
    ]),
  )
}

function accepted({ what, at, properties }: NaiveEvent): AcceptedEvent {
  const [type, name] = what.split(' ') as [Event['type'], string]
  const named = type === 'track' ? { event: name } : { name }
  const { event, ...rest } = acceptedEvent({
    type,
    properties,
    timestamp: formatTimestamp(at),
    ...named,
  })
  return { ...rest, event }
}
