import type { Catalog } from '../../backend/catalog.ts'
import { ByteBudget, memoryOfBudget } from '../../util/limits/byte-budget.ts'
import { type Limited, RateLimit } from '../../util/limits/rate-limit.ts'
import { SharedBuckets } from '../../util/limits/shared-buckets.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { IngestThreadData } from './ingest-functions.ts'

export interface SharedLimitsOptions {
  readonly catalog: Pick<Catalog, 'current'>
  /** How many threads there are besides main. */
  readonly threads: number
  readonly maxPartialBodyBytes: number
  readonly clock: Clock
}

/** The limits of all requests together, whichever thread handles them. Made by main, which handles requests, too. */
export class SharedLimits {
  /** For main. */
  readonly rateLimit: RateLimit
  /** For main. */
  readonly partialBodies: ByteBudget
  /** For the other threads. */
  readonly memory: IngestThreadData['limits']
  readonly #catalog: Pick<Catalog, 'current'>
  readonly #buckets: SharedBuckets
  #changes = 0
  /** The limits that a thread may use: those of now, and of before the changes that not all threads know yet. */
  readonly #used = new Map<string, Limited>()

  constructor({ catalog, threads, maxPartialBodyBytes, clock }: SharedLimitsOptions) {
    const all = threads + 1
    const partialBodies = memoryOfBudget(all)
    this.#catalog = catalog
    this.#buckets = SharedBuckets.create({ threads: all, now: clock.now() })
    this.#keep()
    this.rateLimit = new RateLimit(clock, { shared: this.#buckets })
    this.partialBodies = new ByteBudget(maxPartialBodyBytes, { memory: partialBodies, thread: 0 })
    this.memory = { rates: this.#buckets.memory, partialBodies }
  }

  /** The catalog has changed. `apply` resolves when all threads know. */
  async during(apply: () => Promise<unknown>): Promise<void> {
    this.#changes++
    this.#keep()
    await apply()
    this.#changes--
    if (this.#changes > 0) return
    this.#used.clear()
    this.#keep()
  }

  /** A thread has ended. */
  giveBackAllOf(thread: number): void {
    this.partialBodies.giveBackAllOf(thread)
  }

  #keep(): void {
    for (const { id, rateLimit } of this.#catalog.current.sources.values())
      this.#used.set(`${rateLimit} ${id}`, { id, rateLimit })
    this.#buckets.keep(this.#used.values())
  }
}
