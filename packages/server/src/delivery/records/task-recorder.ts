import type { Carried } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Deletions } from '../../backend/deletions.ts'
import type { DeliveryQueue, RecordedDelivery } from '../../backend/deliveries.ts'
import type { Quarantine } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/clock.ts'
import type { DeliveryTask } from '../lanes/lane.ts'
import type { TaskEnd } from '../lanes/task-accounting.ts'
import { pause } from '../../util/pause.ts'
import { quarantineAll, type QuarantineRequest } from './quarantine.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

/** The result of a task's turn in a slot: a record, no round at all, or an error that is a bug of Hookline. */
export type TaskResult = RecordedDelivery | 'not begun' | { readonly fault: unknown }

/** The time of a few slices of a purge. A purged task is released only after it, see `#dropPurged`. */
const PURGE_SLICES_MS = 20

export interface TaskRecorderOptions {
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
  /** A delivery of the destination is parked until `dueAt`. */
  readonly onParked: (destinationId: string, dueAt: number) => void
  /** A delivery of the destination is held. */
  readonly onHeld: (destinationId: string) => void
  /** A delivery that is due was released to the backend. */
  readonly onReleased: () => void
}

/**
 * Makes the results of tasks durable, and only then calls `onRecorded`. When the service stops before the backend is
 * available again, the task ends as `released`: it comes again from the log or the backend.
 */
export class TaskRecorder {
  readonly #options: TaskRecorderOptions

  constructor(options: TaskRecorderOptions) {
    this.#options = options
  }

  /** Ends a task after its turn in a slot. */
  async end(task: DeliveryTask, result: TaskResult): Promise<TaskEnd> {
    if (this.#options.deletions.isPurged(task.event)) return this.#dropPurged(task)
    if (result === 'not begun') return this.#release(task)
    return 'fault' in result ? this.#quarantine(task, result.fault) : this.record(task, result)
  }

  /** Records the delivery as it is now, with the attempts that were made. */
  async record(task: DeliveryTask, result: RecordedDelivery): Promise<TaskEnd> {
    const { deliveries, deletions, activity, metrics, onParked, onHeld } = this.#options
    const { dueAt, destinationId, state } = result.delivery
    // Checked on each try: the user may be deleted while the backend is unavailable.
    const write = async (): Promise<void> => {
      if (deletions.isPurged(task.event)) return deliveries.release([task.delivery.id])
      await deliveries.record([result])
      activity.recorded(result)
    }
    if ((await retryWhileUnavailable(write, this.#options)) === undefined) return 'released'
    if (dueAt !== null) {
      metrics.deliveriesParked.inc()
      onParked(destinationId, dueAt)
    }
    if (state === 'held') onHeld(destinationId)
    task.onRecorded()
    return 'recorded'
  }

  /** For a task without a round: releases a parked one to the backend, and parks a fresh one as it is. */
  async #release(task: DeliveryTask): Promise<TaskEnd> {
    const { delivery, origin } = task
    if (origin === 'fresh') return this.record(task, { delivery, attempts: [] })
    await this.#options.deliveries.release([delivery.id])
    this.#options.onReleased()
    return 'released'
  }

  /** The user of the task was deleted, so nothing is recorded. */
  async #dropPurged(task: DeliveryTask): Promise<TaskEnd> {
    const { deliveries, clock, signal } = this.#options
    task.onRecorded()
    // Released at once, it would be claimed again and again until the purge has removed it.
    if (task.origin !== 'fresh') await pause(clock, PURGE_SLICES_MS, signal)
    await deliveries.release([task.delivery.id])
    return 'recorded'
  }

  async #quarantine(task: DeliveryTask, fault: unknown): Promise<TaskEnd> {
    if (!(await quarantineAll([this.#itemOf(task, fault)], this.#options))) return 'released'
    task.onRecorded()
    return 'recorded'
  }

  #itemOf({ delivery }: DeliveryTask, cause: unknown): QuarantineRequest {
    // The reason leaves out the message of the error, which may contain secrets.
    const kind = cause instanceof Error ? cause.name : typeof cause
    const reason = `The attempt round failed because of a bug in Hookline (${kind}). See the log for details.`
    return { id: delivery.id, reason, at: this.#options.clock.now(), delivery, cause }
  }
}
