import type { LaneId } from '../../backend/deliveries.ts'
import type { Clock } from '../../util/time/clock.ts'
import { Recurring } from '../../util/time/recurring.ts'
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
  /** A task was taken out of its lane. */
  readonly onTakenOut: () => void
  /** A record has begun. */
  readonly onRecording: (recording: Promise<unknown>) => void
}

/** The most deliveries that are being parked at one time. With more, the pipeline waits. */
const MOST_PARKING = 500
/** What waits in memory longer than this is parked, so that the log need not keep it (spec 03 §Lanes). */
const LONGEST_FRESH_MS = 2_000

/**
 * Parks deliveries that came from the log: at once when a lane has no room for them, and after two seconds when they have
 * not ended. So the log's position follows within seconds, whatever a receiver does.
 */
export class FreshParking implements Worker {
  readonly name: string
  readonly #options: FreshParkingOptions
  readonly #recurring: Recurring
  #parking = 0
  #fewer: PromiseWithResolvers<void> | undefined

  constructor(name: string, options: FreshParkingOptions) {
    this.name = name
    this.#options = options
    this.#recurring = new Recurring({ clock: options.clock, work: () => this.#parkOverdue() })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  /** Resolves when more may be parked: at once, unless MOST_PARKING deliveries are being parked. */
  async ready(): Promise<void> {
    if (this.#parking < MOST_PARKING) return
    this.#fewer ??= Promise.withResolvers()
    await this.#fewer.promise
  }

  /** A delivery came from the log. */
  added(at: number): void {
    this.#recurring.wakeBy(at + LONGEST_FRESH_MS)
  }

  /** Records the delivery as it is. Its parts that are in no lane are parked with it. */
  park(open: OpenDelivery): void {
    this.#parking++
    const done = (): void => {
      if (--this.#parking > MOST_PARKING / 2) return
      this.#fewer?.resolve()
      this.#fewer = undefined
    }
    this.#options.onRecording(this.#options.recorder.record(open).finally(done))
  }

  /**
   * Parks what has waited for too long, as fast as the disk takes it, and gives way to the event loop. Returns after how
   * long the next delivery has.
   */
  async #parkOverdue(): Promise<number> {
    const { clock, open: all, recorder } = this.#options
    const slices = new TimeSlices(clock)
    for (const open of all.freshSince(clock.now() - LONGEST_FRESH_MS)) {
      if (recorder.isRecording(open)) continue
      await slices.yieldIfOver()
      await this.ready()
      // Its attempt may have ended meanwhile.
      if (open.freshSince === undefined || recorder.isRecording(open)) continue
      this.#takeOut(open)
      this.park(open)
    }
    const oldest = all.oldestFreshAt
    if (oldest === undefined) return Infinity
    // Those that are older are being recorded, for as long as the backend takes.
    return Math.max(LONGEST_FRESH_MS / 2, oldest + LONGEST_FRESH_MS - clock.now())
  }

  /** Takes the parts of a delivery that wait for a slot out of their lanes. Those in flight stay. */
  #takeOut(open: OpenDelivery): void {
    const { lane, onTakenOut } = this.#options
    const { destinationId } = open.delivery
    for (const task of open.inLanes) {
      if (!lane({ destinationId, url: task.url }).remove(task)) continue
      leaveLane(task)
      onTakenOut()
    }
  }
}
