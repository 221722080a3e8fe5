import type { Names } from '../names.ts'
import type { Trace, TracedAttempt } from './trace-query.ts'

type NumberedAttempt = Pick<TracedAttempt, 'id' | 'number' | 'url' | 'startedAt' | 'replayId'>

/** `#2`, or `#1 of manual retry 2`, by the id of the attempt: numbers restart with each manual retry and replay. */
export function attemptNames(attempts: readonly NumberedAttempt[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const own of Map.groupBy(attempts, ({ url }) => url).values()) {
    const counts = { 'manual retry': 0, replay: 0 }
    let suffix = ''
    let before = 0
    for (const { id, number, replayId } of own.toSorted(byStart)) {
      const kind = replayId === undefined ? 'manual retry' : 'replay'
      if (number <= before || (before === 0 && kind === 'replay')) {
        counts[kind] += 1
        suffix = ` of ${kind}${counts[kind] > 1 ? ` ${counts[kind]}` : ''}`
      }
      before = number
      names.set(id, `#${number}${suffix}`)
    }
  }
  return names
}

interface NamedAttempt {
  readonly attempt: TracedAttempt
  readonly deliveryId: string
  /** `ERP #2` */
  readonly name: string
}

/** The attempts in all deliveries of an event, oldest first, with the names of their destinations. */
export function namedAttempts(
  { deliveries }: Pick<Trace, 'deliveries'>,
  names: Pick<Names, 'destination'>,
): NamedAttempt[] {
  const named = deliveries.flatMap(({ id: deliveryId, destinationId, attempts }) => {
    const numbers = attemptNames(attempts)
    return attempts.map((attempt) => ({
      attempt,
      deliveryId,
      name: `${names.destination(destinationId)} ${numbers.get(attempt.id)!}`,
    }))
  })
  return named.toSorted((a, b) => byStart(a.attempt, b.attempt))
}

function byStart(a: NumberedAttempt, b: NumberedAttempt): number {
  return Date.parse(a.startedAt) - Date.parse(b.startedAt)
}
