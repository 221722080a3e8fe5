import type { LaneId } from '../../backend/deliveries.ts'
import type { Clock } from '../../util/time/clock.ts'
import { RecurringWork } from '../../util/time/recurring.ts'
import { TimeSlices } from '../../util/time/time-slices.ts'
import type { Worker } from '../../util/workers/worker.ts'
import type { Lane } from '../lanes/lane.ts'
import { leaveLane, type OpenDeliveries, type OpenDelivery } from '../lanes/open-delivery.ts'
import type { DeliveryRecorder } from '../records/delivery-recorder.ts'

export interface FreshParkingOptions {
  readonly clock: Clock
  readonly open: OpenDeliveries
  readonly recorder: DeliveryRecorder
  readonly lane: (id: LaneId) => Lane
  readonly onRemovedFromLane: () => void
  readonly onRecording: (recording: Promise<unknown>) => void
}

/** While this many deliveries are being parked, the pipeline waits. */
const MAX_PARKING = 500
/** A delivery that stays in memory longer is parked, so that the log need not keep it. */
const MAX_FRESH_MS = 2_000

/** Parks fresh deliveries if a lane has no room, or after two seconds, so that the log position can advance. */
export class FreshParking implements Worker {
  readonly name: string
  readonly #options: FreshParkingOptions
  readonly #recurring: RecurringWork
  #parking = 0
  #freed: PromiseWithResolvers<void> | undefined

  constructor(name: string, options: FreshParkingOptions) {
    this.name = name
    this.#options = options
    this.#recurring = new RecurringWork({ clock: options.clock, work: () => this.#parkOverdue() })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async ready(): Promise<void> {
    if (this.#parking < MAX_PARKING) return
    this.#freed ??= Promise.withResolvers()
    await this.#freed.promise
  }

  added(at: number): void {
    this.#recurring.wakeBy(at + MAX_FRESH_MS)
  }

  /** Records the delivery, which parks its parts outside of lanes. */
  park(open: OpenDelivery): void {
    this.#parking++
    const done = (): void => {
      if (--this.#parking > MAX_PARKING / 2) return
      this.#freed?.resolve()
      this.#freed = undefined
    }
    this.#options.onRecording(this.#options.recorder.record(open).finally(done))
  }

  /** Parks overdue deliveries as fast as the disk permits. Returns the wait until the next one is overdue. */
  async #parkOverdue(): Promise<number> {
    const { clock, open: all, recorder } = this.#options
    const slices = new TimeSlices(clock)
    for (const open of all.freshBefore(clock.now() - MAX_FRESH_MS)) {
      if (recorder.isRecording(open)) continue
      await slices.yieldIfOver()
      await this.ready()
      if (open.freshSince === undefined || recorder.isRecording(open)) continue
      this.#removeFromLanes(open)
      this.park(open)
    }
    const oldest = all.oldestFreshAt
    if (oldest === undefined) return Infinity
    return Math.max(MAX_FRESH_MS / 2, oldest + MAX_FRESH_MS - clock.now())
  }

  /** Removes the waiting parts of a delivery from their lanes. Parts in flight are kept. */
  #removeFromLanes(open: OpenDelivery): void {
    const { lane, onRemovedFromLane } = this.#options
    const { destinationId } = open.delivery
    for (const task of open.inLanes) {
      if (!lane({ destinationId, url: task.url }).remove(task)) continue
      leaveLane(task)
      onRemovedFromLane()
    }
  }
}
