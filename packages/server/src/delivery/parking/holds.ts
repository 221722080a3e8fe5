import type { Carried, Destination } from '@hookline/protocol'
import type { Logger } from 'pino'
import type { Catalog } from '../../backend/catalog.ts'
import type { DeliveryQueue } from '../../backend/deliveries.ts'
import type { Backlog } from '../../backend/upkeep.ts'
import type { Clock } from '../../util/clock.ts'
import { Recurring } from '../../util/recurring.ts'
import { isPaused } from '../health/paused.ts'

export interface HoldsOptions {
  readonly catalog: Catalog
  readonly deliveries: DeliveryQueue<Carried>
  readonly upkeep: { backlog(): Promise<Pick<Backlog, 'waiting'>> }
  readonly clock: Clock
  readonly logger: Logger
  /** Deliveries are pending that were held. */
  readonly onUnheld: () => void
}

/**
 * Lets held deliveries go when nothing holds them any more: their destination was resumed, or removed, and
 * then they end like all of it. It looks at the start and at each change of the catalog, so a crash between
 * the two costs nothing. Where some webhooks stay paused, deliveries go once for each change of which.
 */
export class Holds implements AsyncDisposable {
  readonly #options: HoldsOptions
  readonly #looking: Recurring
  /** Which webhooks were paused when the held deliveries of a destination were let go last. */
  readonly #seen = new Map<string, string>()
  #unsubscribe = (): void => undefined

  constructor(options: HoldsOptions) {
    this.#options = options
    this.#looking = new Recurring({
      clock: options.clock,
      work: () => this.#look(),
      onFailure: (error) => options.logger.warn({ err: error }, 'held.unreadable'),
    })
  }

  start(): void {
    this.#unsubscribe = this.#options.catalog.onChange(() => this.#looking.wake())
    this.#looking.wake()
  }

  /** A delivery was recorded as held: by now, its destination may have been resumed. */
  recorded(destinationId: string): void {
    if (pausedIn(this.#destination(destinationId)) === '') this.#looking.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe()
    await this.#looking[Symbol.asyncDispose]()
  }

  async #look(): Promise<number> {
    const { waiting } = await this.#options.upkeep.backlog()
    for (const { destinationId, state } of waiting) {
      if (state === 'held') await this.#letGo(destinationId)
    }
    return Infinity
  }

  async #letGo(destinationId: string): Promise<void> {
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
