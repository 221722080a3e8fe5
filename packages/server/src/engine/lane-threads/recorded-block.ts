import type { DeliveryActivity } from '../../telemetry/activity-listener.ts'

/** What a thread has recorded in one turn. */
export interface RecordedBlock {
  /** The numbers of fresh deliveries that the backend has now. */
  readonly numbers: readonly number[]
  readonly activity: readonly PackedActivity[]
}

type PackedDelivery = readonly [
  id: string,
  eventId: string,
  destinationId: string,
  state: DeliveryActivity['delivery']['state'],
  replayId: string | undefined,
  isEnd: boolean,
]

type Attempt = DeliveryActivity['attempts'][number]
type PackedAttempt = readonly [
  id: string,
  number: number,
  url: string,
  outcome: Attempt['outcome'],
  class_: Attempt['class'],
  status: number | undefined,
  startedAt: number,
  durationMs: number,
]

/** An activity as lists: property names would cross with each. */
type PackedActivity = readonly [delivery: PackedDelivery, ...attempts: readonly PackedAttempt[]]

export function packActivity({ delivery, attempts, isEnd }: DeliveryActivity): PackedActivity {
  const { id, eventId, destinationId, state, replayId } = delivery
  const packed = attempts.map((attempt): PackedAttempt => {
    const { number, url, outcome, status, startedAt, durationMs } = attempt
    return [attempt.id, number, url, outcome, attempt.class, status, startedAt, durationMs]
  })
  return [[id, eventId, destinationId, state, replayId, isEnd], ...packed]
}

export function activityIn([delivery, ...packed]: PackedActivity): DeliveryActivity {
  const [id, eventId, destinationId, state, replayId, isEnd] = delivery
  const attempts = packed.map(
    ([attemptId, number, url, outcome, class_, status, startedAt, durationMs]) => {
      const attempt = { id: attemptId, number, url, outcome, class: class_, startedAt, durationMs }
      return status === undefined ? attempt : { ...attempt, status }
    },
  )
  const kept = { id, eventId, destinationId, state, ...(replayId !== undefined && { replayId }) }
  return { delivery: kept, attempts, isEnd }
}
