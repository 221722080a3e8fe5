import { HEALTH_LIMITS } from '@hookline/protocol'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { HealthyDestination } from '../destinations/destination-query.ts'
import type { CurrentProblem } from './current-problem.ts'

type Attempted = Pick<HealthyDestination, 'id' | 'name' | 'health'>
type LastHour = Pick<HealthyDestination['health']['lastHour'], 'attempts' | 'delivered'>

/**
 * The destinations whose receivers accepted less than half of the attempts of the last hour, by id. Where each has few
 * attempts, all together may still tell enough.
 */
export function lowSuccess(
  destinations: readonly Attempted[],
): ReadonlyMap<string, readonly CurrentProblem[]> {
  const total = totalOf(destinations)
  const isLowInAll = isLow(total) && total.attempts >= HEALTH_LIMITS.leastAttempts
  return new Map(
    destinations
      .filter(({ health: { lastHour } }) => isLow(lastHour))
      .filter(
        ({ health: { lastHour } }) =>
          isLowInAll || lastHour.attempts >= HEALTH_LIMITS.leastAttempts,
      )
      .map((destination) => [destination.id, [problemOf(destination)]]),
  )
}

function totalOf(destinations: readonly Attempted[]): LastHour {
  const sum = (name: keyof LastHour): number =>
    destinations.reduce((total, { health }) => total + health.lastHour[name], 0)
  return { attempts: sum('attempts'), delivered: sum('delivered') }
}

function isLow({ attempts, delivered }: LastHour): boolean {
  return attempts > 0 && delivered < attempts * HEALTH_LIMITS.leastShare
}

function problemOf({ id, name, health: { lastHour } }: Attempted): CurrentProblem {
  const { attempts, delivered } = lastHour
  return {
    key: `success ${id}`,
    severity: 'failing',
    title: `${shownText(name, 80)}: ${wholeNumber(delivered)} of ${wholeNumber(attempts)} attempts of the last hour were accepted.`,
    remedy:
      'Its list of deliveries has the response to each attempt. “Test” shows how the receiver responds now.',
    to: `/destinations/${id}?tab=deliveries`,
  }
}
