import type { Carried, Destination } from '@hookline/protocol'
import type { Catalog } from '../../backend/catalog.ts'
import type { DeliveryQueue } from '../../backend/deliveries.ts'
import type { Backlog } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/clock.ts'
import { Recurring } from '../../util/recurring.ts'
import type { Worker } from '../../util/worker.ts'
import { isPaused } from '../health/destination-health.ts'

export interface ResumeWorkerOptions {
  readonly catalog: Catalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly upkeep: { backlog(): Promise<Pick<Backlog, 'waiting'>> }
  readonly clock: Clock
  /** Held deliveries are pending now. */
  readonly onResumed: () => void
}

/**
 * Makes held deliveries pending again when their destination is resumed or removed; those of a removed destination are
 * then rejected. It looks at the start and at each change of the catalog, so a crash right after a change leaves
 * nothing held. When only some webhooks are resumed, the deliveries become pending once for each change.
 */
export class ResumeWorker implements Worker {
  readonly name: string
  readonly #options: ResumeWorkerOptions
  readonly #recurring: Recurring
  /** By destination: the webhooks that were paused when its held deliveries became pending last. */
  readonly #seen = new Map<string, string>()

  constructor(name: string, options: ResumeWorkerOptions) {
    this.name = name
    this.#options = options
    this.#recurring = new Recurring({
      clock: options.clock,
      work: () => this.#resumeAll(),
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#options.catalog.onChange(() => this.#recurring.wake())
    try {
      await this.#recurring.run(signal)
    } finally {
      unsubscribe()
    }
  }

  /** A delivery was recorded as held. Its destination may have been resumed in the meantime. */
  onHeld(destinationId: string): void {
    if (pausedIn(this.#destination(destinationId)) === '') this.#recurring.wake()
  }

  async #resumeAll(): Promise<number> {
    const { waiting } = await this.#options.upkeep.backlog()
    for (const { destinationId, state } of waiting) {
      if (state === 'held') await this.#resume(destinationId)
    }
    return Infinity
  }

  async #resume(destinationId: string): Promise<void> {
    const { deliveries, clock, onResumed } = this.#options
    const destination = this.#destination(destinationId)
    const paused = pausedIn(destination)
    const isSeen = paused !== '' && this.#seen.get(destinationId) === paused
    if (paused === '') this.#seen.delete(destinationId)
    else this.#seen.set(destinationId, paused)
    if (isSeen || (destination !== undefined && isPaused(destination))) return
    await deliveries.unhold(destinationId, clock.now())
    onResumed()
  }

  #destination(id: string): Destination | undefined {
    return this.#options.catalog.current.destinations.get(id)
  }
}

/** What is paused of a destination, as a text to compare; empty when nothing is. */
function pausedIn(destination: Destination | undefined): string {
  if (destination === undefined) return ''
  const urls = destination.settings.webhooks.filter(({ paused }) => paused).map(({ url }) => url)
  return [...(destination.paused === null ? [] : ['all']), ...urls].join(' ')
}
