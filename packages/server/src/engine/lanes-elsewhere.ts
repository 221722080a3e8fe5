import type { LaneState } from '@hookline/protocol'
import type { FollowedCatalog } from '../backend/catalog.ts'
import type { Lanes, LanesStatus } from './lanes.ts'

/**
 * The lanes of a node that does not deliver: other nodes have them. They read from the database what is due, so what is asked of
 * these changes nothing. Breakers show as closed, because this node makes no attempts.
 */
export class LanesElsewhere implements Lanes {
  readonly given = 0
  readonly #catalog: FollowedCatalog

  constructor(catalog: FollowedCatalog) {
    this.#catalog = catalog
  }

  deliver(): void {
    throw new Error('This node does not deliver.')
  }

  async ready(): Promise<void> {}

  wake(): void {}

  async states(
    destinationIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LaneState[]>> {
    const { destinations } = this.#catalog.current
    const known = destinationIds.flatMap((id) => destinations.get(id) ?? [])
    return new Map(
      known.map(({ id, settings }) => [
        id,
        settings.webhooks.map(({ url }) => ({ ...UNTRIED, url })),
      ]),
    )
  }

  async attemptsOf(): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    return new Map()
  }

  async allowNow(): Promise<void> {}

  async retryNow(): Promise<void> {}

  async closeBreakers(): Promise<void> {}

  async status(): Promise<LanesStatus> {
    return {
      stillForMs: 0,
      inMemory: 0,
      unrecorded: 0,
      imbalance: 0,
      openBreakers: 0,
      failing: new Map(),
    }
  }

  stop(): void {}

  abort(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

const UNTRIED: Omit<LaneState, 'url'> = {
  breaker: 'closed',
  brokenSince: null,
  restsUntil: null,
  retryAfterUntil: null,
  pacePerSecond: null,
  inFlight: 0,
}
