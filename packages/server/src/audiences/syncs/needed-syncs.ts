import type { Catalog } from '../../backend/catalog.ts'
import type { Syncs } from '../../backend/syncs.ts'
import type { Clock } from '../../util/time/clock.ts'
import { neededSync } from './needed-sync.ts'

export interface NeededSyncsOptions {
  readonly catalog: Pick<Catalog, 'current' | 'removeComputation'>
  readonly syncs: Pick<Syncs, 'put' | 'open' | 'last'>
  readonly clock: Clock
}

/**
 * Records the syncs that computations need. A version is planned only when its sync is recorded: so no destination can miss
 * a change between two versions that nobody saw.
 */
export class NeededSyncs {
  readonly #options: NeededSyncsOptions
  #last: Promise<void> = Promise.resolve()

  constructor(options: NeededSyncsOptions) {
    this.#options = options
  }

  /** One call after the other: two at once would record a sync twice. */
  put(): Promise<void> {
    const run = this.#last.then(() => this.#put())
    this.#last = run.catch(() => undefined)
    return run
  }

  async #put(): Promise<void> {
    const { catalog, syncs, clock } = this.#options
    const open = new Map((await syncs.open()).map((sync) => [sync.computationId, sync]))
    const ended = await syncs.last()
    for (const computation of catalog.current.computations.values()) {
      const { id } = computation
      const last = ended.get(id)
      // The process ended before it could do so.
      if (last?.reason === 'deleted' && last.state === 'done') await catalog.removeComputation(id)
      const sync = neededSync(computation, { open: open.get(id), last, now: clock.wall() })
      if (sync !== undefined) await syncs.put(sync)
    }
  }
}
