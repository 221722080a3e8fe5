import type { Carried, Delivery, DeliveryState } from '@hookline/protocol'
import type { Logger } from '../../telemetry/logger.ts'
import type { Deletions } from '../../backend/deletions.ts'
import type { DeliveryQueue } from '../../backend/deliveries.ts'
import type { Quarantine } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/time/clock.ts'
import { pause } from '../../util/time/pause.ts'
import { isInLane, type OpenDeliveries, type OpenDelivery } from '../lanes/open-delivery.ts'
import type { TaskEnd } from '../lanes/task-accounting.ts'
import { quarantineAll } from './quarantine.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

/** The time of a few slices of a purge. A purged delivery is released only after it, see `#dropPurged`. */
const PURGE_SLICES_MS = 20

export interface DeliveryRecorderOptions {
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
  readonly open: OpenDeliveries
  /** Parts of the delivery are parked or held. */
  readonly onParked: (delivery: Delivery) => void
  /** A part that is due was released to the backend. */
  readonly onReleased: () => void
}

/** The record of one delivery that is under way. */
interface Recording {
  /** The delivery has changed since the record was made, so another one follows. */
  isOutdated: boolean
  done: Promise<TaskEnd>
}

/**
 * Makes deliveries durable as they are now. The records of one delivery follow one another: what changes during a record
 * goes into the next one, so that parts that end together share a write, and no record overtakes another.
 */
export class DeliveryRecorder {
  readonly #options: DeliveryRecorderOptions
  readonly #recording = new Map<OpenDelivery, Recording>()

  constructor(options: DeliveryRecorderOptions) {
    this.#options = options
  }

  /** Whether a record of the delivery is under way. */
  isRecording(open: OpenDelivery): boolean {
    return this.#recording.has(open)
  }

  /** Records the delivery. Resolves when a record is durable that was made after this call. */
  record(open: OpenDelivery): Promise<TaskEnd> {
    const running = this.#recording.get(open)
    if (running !== undefined) {
      running.isOutdated = true
      return running.done
    }
    const recording: Recording = { isOutdated: false, done: Promise.resolve('released') }
    this.#recording.set(open, recording)
    recording.done = this.#recordAll(open, recording)
    return recording.done
  }

  /** Ends the turn of a part that was not attempted: records a fresh delivery, and releases a parked part. */
  async release(open: OpenDelivery, url: string): Promise<TaskEnd> {
    if (this.#options.deletions.isPurged(open.event)) return this.#dropPurged(open)
    // A record that is under way may claim the part again, so its claim ends after the record.
    if (open.freshSince !== undefined || this.isRecording(open)) return this.record(open)
    await this.#releasePart(open, url)
    this.#closeIfIdle(open)
    return 'released'
  }

  /** An error that is a bug stopped a part: its delivery goes into quarantine. */
  async quarantine(open: OpenDelivery, fault: unknown): Promise<TaskEnd> {
    const { clock } = this.#options
    const { delivery } = open
    // The reason leaves out the message of the error, which may contain secrets.
    const kind = fault instanceof Error ? fault.name : typeof fault
    const reason = `The attempt failed because of a bug in Hookline (${kind}). See the log for details.`
    const item = { id: delivery.id, reason, at: clock.wall(), delivery, cause: fault }
    if (!(await quarantineAll([item], this.#options))) return 'released'
    // Its other parts in lanes find no part of theirs, and end without a record.
    open.delivery = { ...delivery, state: 'quarantined', dueAt: null, webhooks: [] }
    open.recorded = open.delivery
    this.#options.open.recorded(open)
    this.#closeIfIdle(open)
    return 'recorded'
  }

  async #recordAll(open: OpenDelivery, recording: Recording): Promise<TaskEnd> {
    try {
      for (;;) {
        recording.isOutdated = false
        const end = await this.#recordOnce(open)
        if (!recording.isOutdated || end === 'released') return end
      }
    } finally {
      this.#recording.delete(open)
      this.#closeIfIdle(open)
    }
  }

  async #recordOnce(open: OpenDelivery): Promise<TaskEnd> {
    const { deliveries, deletions, activity } = this.#options
    const { delivery, attempts } = open
    if (delivery === open.recorded && attempts.length === 0) return this.#endClaims(open)
    const claimed = open.inLanes.map(({ url }) => url)
    const isEnd = isFinal(delivery.state) && !isFinal(open.recorded?.state)
    open.attempts = []
    // Checked on each try: the user may be deleted while the backend is unavailable.
    const write = async (): Promise<'written' | 'purged'> => {
      if (deletions.isPurged(open.event)) {
        await this.#dropPurged(open)
        return 'purged'
      }
      await deliveries.record([{ delivery, attempts, claimed }])
      activity.recorded({ delivery, attempts, isEnd })
      return 'written'
    }
    const result = await retryWhileUnavailable(write, this.#options)
    if (result === undefined) return 'released'
    if (result.value === 'purged') return 'recorded'
    open.recorded = delivery
    this.#report(delivery, { isEnd, claimed })
    this.#options.open.recorded(open)
    return 'recorded'
  }

  /** The backend has the delivery as it is: only the claims end of the parts that are in no lane. */
  async #endClaims(open: OpenDelivery): Promise<TaskEnd> {
    for (const { url } of open.delivery.webhooks)
      if (!isInLane(open, url)) await this.#releasePart(open, url)
    return 'recorded'
  }

  async #releasePart({ delivery }: OpenDelivery, url: string): Promise<void> {
    const { id, destinationId } = delivery
    await this.#options.deliveries.release([id], { destinationId, url })
    if (delivery.webhooks.some((part) => part.url === url && part.state === 'pending'))
      this.#options.onReleased()
  }

  #report(
    delivery: Delivery,
    { isEnd, claimed }: { readonly isEnd: boolean; readonly claimed: readonly string[] },
  ): void {
    const { metrics, onParked } = this.#options
    if (isEnd) {
      metrics.deliveriesEnded.inc({ state: delivery.state })
      metrics.destinationCounts.ended(delivery.destinationId, delivery.state)
    }
    const parked = delivery.webhooks.filter(
      ({ state, url }) => state === 'held' || (state === 'pending' && !claimed.includes(url)),
    )
    if (parked.length === 0) return
    metrics.deliveriesParked.inc()
    onParked(delivery)
  }

  /** The user of the delivery was deleted, so nothing is recorded. */
  async #dropPurged(open: OpenDelivery): Promise<TaskEnd> {
    const { deliveries, clock, signal } = this.#options
    const wasFresh = open.freshSince !== undefined
    this.#options.open.recorded(open)
    // Released at once, it would be claimed again and again until the purge has removed it.
    if (!wasFresh) await pause(clock, PURGE_SLICES_MS, signal)
    if (open.inLanes.length === 0) await deliveries.release([open.delivery.id])
    this.#closeIfIdle(open)
    return 'recorded'
  }

  #closeIfIdle(open: OpenDelivery): void {
    if (open.inLanes.length === 0 && !this.#recording.has(open)) this.#options.open.close(open)
  }
}

function isFinal(state: DeliveryState | undefined): boolean {
  return state !== undefined && state !== 'pending' && state !== 'held'
}
