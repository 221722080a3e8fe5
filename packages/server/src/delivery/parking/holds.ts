import type { Carried, Destination } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import type { DeliveryQueue } from '../../backend/deliveries.ts'
import type { Backlog } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/clock.ts'
import { Recurring } from '../../util/recurring.ts'
import type { Worker } from '../../util/worker.ts'
import { isPaused } from '../health/paused.ts'

export interface HoldsOptions {
  readonly catalog: Catalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly upkeep: { backlog(): Promise<Pick<Backlog, 'waiting'>> }
  readonly clock: Clock
  /** Deliveries that were held are pending now. */
  readonly onUnheld: () => void
}

/**
 * Makes held deliveries pending again when their destination is resumed, or removed; a removed destination's deliveries
 * are then rejected. It looks at the start and at each change of the catalog, so nothing stays held after a crash between
 * the two. Where only some webhooks are resumed, the deliveries become pending once for each change.
 */
export class Holds implements Worker {
  readonly name: string
  readonly #options: HoldsOptions
  readonly #looking: Recurring
  /** By destination: which webhooks were paused when its held deliveries became pending last. */
  readonly #seen = new Map<string, string>()

  constructor(name: string, options: HoldsOptions) {
    this.name = name
    this.#options = options
    this.#looking = new Recurring({
      clock: options.clock,
      work: () => this.#look(),
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.catalog.onChange(() => this.#looking.wake())
    try {
      await this.#looking.run(signal)
    } finally {
      unsubscribe()
    }
  }

  /** A delivery was recorded as held. Its destination may have been resumed in the meantime. */
  recorded(destinationId: string): void {
    if (pausedIn(this.#destination(destinationId)) === '') this.#looking.wake()
  }

  async #look(): Promise<number> {
    const { waiting } = await this.#options.upkeep.backlog()
    for (const { destinationId, state } of waiting) {
      if (state === 'held') await this.#unhold(destinationId)
    }
    return Infinity
  }

  async #unhold(destinationId: string): Promise<void> {
    const { deliveries, clock, onUnheld } = this.#options
    const destination = this.#destination(destinationId)
    const paused = pausedIn(destination)
    const isSeen = paused !== '' && this.#seen.get(destinationId) === paused
    if (paused === '') this.#seen.delete(destinationId)
    else this.#seen.set(destinationId, paused)
    if (isSeen || (destination !== undefined && isPaused(destination))) return
    await deliveries.unhold(destinationId, clock.now())
    onUnheld()
  }

  #destination(id: string): Destination | undefined {
    return this.#options.catalog.current.destinations.get(id)
  }
}

/** What is paused of a destination, to be compared; empty where nothing is. */
function pausedIn(destination: Destination | undefined): string {
  if (destination === undefined) return ''
  const urls = destination.settings.webhooks.filter(({ paused }) => paused).map(({ url }) => url)
  return [...(destination.paused === null ? [] : ['all']), ...urls].join(' ')
}
