import type { AcceptedEvent, Delivery, Destination, EventWarning } from '@hookline/protocol'
import type { SharedChange } from '../../backend/threads.ts'
import type { InProcessResponse, SentRequest } from '../../delivery/network/in-process-receiver.ts'
import type { WireError } from '../../threads/channel.ts'
import type { FailedWorker } from '../../util/workers/supervisor.ts'
import type { Lanes } from '../lanes.ts'
import type { LaneGroupSettings } from '../lane-group.ts'
import type { Owners } from './owners.ts'
import { SerialisedEvent } from '../../backend/accepted-event.ts'
import type { DeliveryActivity } from '../../telemetry/activity-listener.ts'

export interface LaneThreadData {
  readonly backend: unknown
  readonly thread: number
  readonly threads: number
  readonly owners: Owners['known']
  readonly settings: LaneGroupSettings
  readonly continuesTraces: boolean
}

export interface LaneChange {
  readonly change: SharedChange
  readonly assignments: Owners['known']
}

export interface LaneThreadFunctions extends Pick<
  Lanes,
  'wake' | 'states' | 'attemptsOf' | 'command' | 'status' | 'abort'
> {
  /** Starts the lanes, once the thread has applied all changes. */
  begin(): void
  deliver(block: FreshBlock): void
  apply(change: LaneChange): Promise<void>
  /** Calls `Lanes.stop`. It cannot be named `stop`, because that function ends the thread. */
  stopLanes(): void
}

export interface LaneMainFunctions {
  recorded(block: RecordedBlock): void
  putDestination(destination: Destination): Promise<void>
  failedPermanently(failure: Omit<FailedWorker, 'error'> & { readonly message: string }): void
  /** Reports corruption that the thread has found. */
  corrupted(error: WireError): void
  inspect(request: SentRequest): Promise<InProcessResponse> | InProcessResponse
  inspected(id: string): void
}

/** `number` identifies the delivery in its thread's reports. */
export interface NumberedDelivery {
  readonly number: number
  readonly delivery: Delivery
  readonly event: AcceptedEvent
}

/** Fresh deliveries for a thread. The buffer of all bodies is transferred, not copied. */
export interface FreshBlock {
  readonly heads: readonly ReturnType<typeof headOf>[]
  readonly bodies: Uint8Array<ArrayBuffer>
  /** End offset of each body. */
  readonly ends: readonly number[]
}

const NO_WARNINGS: readonly EventWarning[] = []

export function freshBlockOf(deliveries: readonly NumberedDelivery[]): FreshBlock {
  const ends: number[] = []
  let end = 0
  for (const { event } of deliveries) ends.push((end += event.body.length))
  // Not from the pool, whose memory is shared: this buffer is transferred.
  const bodies = Buffer.allocUnsafeSlow(end)
  const heads = deliveries.map((each, index) => {
    bodies.set(each.event.body, ends[index - 1] ?? 0)
    return headOf(each)
  })
  return { heads, bodies, ends }
}

function headOf({ number, delivery, event }: NumberedDelivery) {
  const { id, sourceId, type, messageId, userId, previousId, receivedAt, rest, origin } = event
  const to = [number, delivery.id, delivery.destinationId, delivery.firstDueAt] as const
  const from = [id, sourceId, type, messageId, userId, previousId] as const
  return [...to, ...from, receivedAt, rest, origin] as const
}

export function deliveriesIn({ heads, bodies, ends }: FreshBlock): NumberedDelivery[] {
  return heads.map((head, index) => {
    const [number, id, destinationId, firstDueAt, eventId, sourceId, type, messageId] = head
    const [, , , , , , , , userId, previousId, receivedAt, rest, origin] = head
    const start = ends[index - 1] ?? 0
    const body = Buffer.from(bodies.buffer, bodies.byteOffset + start, ends[index]! - start)
    const ids = { id: eventId, sourceId, type, messageId, userId, previousId }
    const event = new SerialisedEvent({
      ...ids,
      receivedAt,
      warnings: NO_WARNINGS,
      origin,
      rest,
      body,
    })
    const due = { firstDueAt, dueAt: firstDueAt }
    const delivery: Delivery = {
      id,
      eventId,
      destinationId,
      state: 'pending',
      attemptCount: 0,
      ...due,
      webhooks: [],
    }
    return { number, delivery, event }
  })
}

/** Results from one turn of a thread. */
export interface RecordedBlock {
  readonly numbers: readonly number[]
  readonly activity: readonly PackedActivity[]
}

/** Arrays, because objects would send their property names with each activity. */
type PackedActivity = ReturnType<typeof packActivity>

export function packActivity({ delivery, attempts, isEnd }: DeliveryActivity) {
  const { id, eventId, destinationId, state, replayId } = delivery
  const packed = attempts.map((attempt) => {
    const { number, url, outcome, status, startedAt, durationMs } = attempt
    return [attempt.id, number, url, outcome, attempt.class, status, startedAt, durationMs] as const
  })
  return [[id, eventId, destinationId, state, replayId, isEnd], ...packed] as const
}

export function activityIn([delivery, ...packed]: PackedActivity): DeliveryActivity {
  const [id, eventId, destinationId, state, replayId, isEnd] = delivery
  const attempts = packed.map(
    ([attemptId, number, url, outcome, class_, status, startedAt, durationMs]) => {
      const attempt = { id: attemptId, number, url, outcome, class: class_, startedAt, durationMs }
      return status === undefined ? attempt : { ...attempt, status }
    },
  )
  const packedDelivery = {
    id,
    eventId,
    destinationId,
    state,
    ...(replayId !== undefined && { replayId }),
  }
  return { delivery: packedDelivery, attempts, isEnd }
}
