import type { Delivery, DeliveryContent } from '@hookline/protocol'
import type { DeliveryContext } from '../delivery-context.ts'
import type { Claim } from '../../backend/deliveries.ts'
import { RecurringWork } from '../../util/time/recurring.ts'
import type { Worker } from '../../util/workers/worker.ts'
import { OpenDeliveries } from '../lanes/open-delivery.ts'
import { asRejected, settingsFor, withParts } from '../parts/parts.ts'
import { DeliveryRecorder } from '../records/delivery-recorder.ts'
import { quarantineAll } from '../records/quarantine.ts'

export interface SplitWorkerOptions extends DeliveryContext {
  readonly name: 'deliveries' | 'notices'
  readonly onSplit: () => void
}

const SLICE = 256
const MAX_WAIT_MS = 60_000

/**
 * Adds parts to deliveries without any: replayed or manually retried ones, and notices. Rejects those whose destination
 * was removed.
 */
export class SplitWorker implements Worker {
  readonly name: string
  readonly #options: SplitWorkerOptions
  readonly #open = new OpenDeliveries()
  readonly #recorder: DeliveryRecorder
  readonly #recurring: RecurringWork

  constructor(options: SplitWorkerOptions) {
    this.name = `${options.name}.split`
    this.#options = options
    const nothing = (): void => undefined
    const ofLanes = { open: this.#open, onParked: nothing, onReleased: nothing }
    this.#recorder = new DeliveryRecorder({ ...options, ...ofLanes })
    this.#recurring = new RecurringWork({ clock: options.clock, work: () => this.#splitSlice() })
  }

  wake(): void {
    this.#recurring.wake()
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  async #splitSlice(): Promise<number> {
    const { deliveries, onSplit } = this.#options
    const claim = await deliveries.claimUnsplit(SLICE)
    await Promise.all([...this.#record(claim), quarantineAll(claim.unreadable, this.#options)])
    const claimed = claim.deliveries.length + claim.unreadable.length
    if (claimed > 0) onSplit()
    return claimed === SLICE ? 0 : MAX_WAIT_MS
  }

  #record({ deliveries }: Claim<DeliveryContent>): Promise<unknown>[] {
    return deliveries.map(({ delivery, event }) => {
      const open = this.#open.add(delivery, event)
      open.delivery = this.#split(delivery)
      return this.#recorder.record(open)
    })
  }

  #split(delivery: Delivery): Delivery {
    const { catalog, clock, successPolicy } = this.#options
    const destination = catalog.current.destinations.get(delivery.destinationId)
    if (destination === undefined) return asRejected(delivery)
    return withParts(delivery, settingsFor(destination, successPolicy), clock.now())
  }
}
