import type { Carried } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Deletions } from '../../backend/deletions.ts'
import type { DeliveryQueue, RecordedDelivery } from '../../backend/deliveries.ts'
import type { Quarantine } from '../../backend/quarantine.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Clock } from '../../util/clock.ts'
import type { DeliveryTask } from '../lanes/lane.ts'
import type { TaskEnd } from '../lanes/ledger.ts'
import { pause } from '../../util/pause.ts'
import { patiently } from './patiently.ts'
import { type Faulty, setAside } from './set-aside.ts'

/** What a round came to: a record, nothing because it was not begun, or an error, which is a bug of ours. */
export type RoundEnd = RecordedDelivery | 'untouched' | { readonly fault: unknown }

/** A few slices of a purge: longer than what is let go takes to be handed out again. */
const PURGE_SLICES_MS = 20

export interface TaskEndsOptions {
  readonly deliveries: DeliveryQueue<Carried>
  readonly quarantine: Quarantine
  readonly deletions: Pick<Deletions, 'isPurged'>
  readonly activity: Pick<ActivityListener, 'recorded'>
  readonly clock: Clock
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborts when the service stops. */
  readonly signal: AbortSignal
  /** A delivery of the destination waits in the backend until then. */
  readonly onParked: (destinationId: string, dueAt: number) => void
  /** A delivery of the destination is held. */
  readonly onHeld: (destinationId: string) => void
  /** A delivery that is due was given back to the backend. */
  readonly onReleased: () => void
}

/**
 * Makes durable what becomes of tasks, and only then says so to whoever handed them over. Where the service
 * stops before the backend is there, the end is `released`: the task comes again from log or backend.
 */
export class TaskEnds {
  readonly #options: TaskEndsOptions

  constructor(options: TaskEndsOptions) {
    this.#options = options
  }

  /** After a task's turn in its lane. */
  async end(task: DeliveryTask, end: RoundEnd): Promise<TaskEnd> {
    if (this.#options.deletions.isPurged(task.event)) return this.#letGo(task)
    if (end === 'untouched') return this.#giveBack(task)
    return 'fault' in end ? this.#setAside(task, end.fault) : this.record(task, end)
  }

  /** Its delivery as it is now, with the attempts that were made. */
  async record(task: DeliveryTask, result: RecordedDelivery): Promise<TaskEnd> {
    const { deliveries, deletions, activity, metrics, onParked, onHeld } = this.#options
    const { dueAt, destinationId, state } = result.delivery
    // Asked each time: the user may be deleted while the backend is away.
    const write = async (): Promise<void> => {
      if (deletions.isPurged(task.event)) return deliveries.release([task.delivery.id])
      await deliveries.record([result])
      activity.recorded(result)
    }
    if ((await patiently(write, this.#options)) === undefined) return 'released'
    if (dueAt !== null) {
      metrics.deliveriesParked.inc()
      onParked(destinationId, dueAt)
    }
    if (state === 'held') onHeld(destinationId)
    task.onRecorded()
    return 'recorded'
  }

  /** A task that was not begun: one from the backend waits there anyway, a fresh one is parked as it is. */
  async #giveBack(task: DeliveryTask): Promise<TaskEnd> {
    const { delivery, origin } = task
    if (origin === 'fresh') return this.record(task, { delivery, attempts: [] })
    await this.#options.deliveries.release([delivery.id])
    this.#options.onReleased()
    return 'released'
  }

  /** Its user was deleted, and with them all there is to record. */
  async #letGo(task: DeliveryTask): Promise<TaskEnd> {
    const { deliveries, clock, signal } = this.#options
    task.onRecorded()
    // Given back at once, it would be handed out again, and again, until the purge has come to it.
    if (task.origin !== 'fresh') await pause(clock, PURGE_SLICES_MS, signal)
    await deliveries.release([task.delivery.id])
    return 'recorded'
  }

  async #setAside(task: DeliveryTask, fault: unknown): Promise<TaskEnd> {
    if (!(await setAside([this.#faultOf(task, fault)], this.#options))) return 'released'
    task.onRecorded()
    return 'recorded'
  }

  #faultOf({ delivery }: DeliveryTask, cause: unknown): Faulty {
    // Not the message: it may quote what no one should see.
    const kind = cause instanceof Error ? cause.name : typeof cause
    const reason = `Its round failed by a fault of Hookline's own (${kind}); the log says more.`
    return { id: delivery.id, reason, at: this.#options.clock.now(), delivery, cause }
  }
}
