import type { Logger } from '../telemetry/logger.ts'
import type { Upkeep } from '../backend/upkeep.ts'
import type { Clock } from '../util/time/clock.ts'
import { Recurring } from '../util/time/recurring.ts'
import type { Worker } from '../util/workers/worker.ts'

export interface OldEventsOptions {
  readonly upkeep: Pick<Upkeep, 'convertOldEvents'>
  readonly clock: Clock
  readonly logger: Logger
}

/** The pause between two slices leaves the disk to others. */
const PAUSE_MS = 10

/**
 * After an update, brings what an earlier version stored into the form of this one, in slices of a few milliseconds. Both
 * forms can be read, so nothing waits for it.
 */
export class OldEvents implements Worker {
  readonly name = 'old events'
  readonly #options: OldEventsOptions
  readonly #recurring: Recurring
  #converted = 0

  constructor(options: OldEventsOptions) {
    this.#options = options
    this.#recurring = new Recurring({ clock: options.clock, work: () => this.#convert() })
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#recurring.run(signal)
  }

  /** Returns after how long there is more to do. */
  async #convert(): Promise<number> {
    const converted = await this.#options.upkeep.convertOldEvents()
    this.#converted += converted ?? 0
    if (converted !== null) return PAUSE_MS
    if (this.#converted > 0)
      this.#options.logger.info({ events: this.#converted }, 'old_events.converted')
    return Infinity
  }
}
