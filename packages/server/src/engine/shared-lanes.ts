import type { Delivery, LaneState } from '@hookline/protocol'
import type { LaneId } from '../backend/deliveries.ts'
import type { Signals } from '../backend/signals.ts'
import type { Clock } from '../util/time/clock.ts'
import type { Lanes } from './lanes.ts'
import { mergedState, toldState, type ToldState } from './merged-state.ts'

type Asked = Pick<Lanes, 'states' | 'attemptsOf' | 'allowNow' | 'retryNow' | 'closeBreakers'>

export interface SharedLanesOptions {
  /** Those of this node. */
  readonly lanes: Asked
  readonly signals: Pick<Signals, 'ask' | 'onAsked' | 'tell' | 'onTold'>
  readonly clock: Clock
}

type Question =
  | { readonly states: readonly string[] }
  | { readonly attempts: readonly Pick<Delivery, 'id' | 'destinationId'>[] }

interface States {
  readonly states: readonly (readonly [string, readonly ToldState[]])[]
}

/** For each delivery: the URL of a webhook, and how long its attempt has taken. */
interface AttemptsMade {
  readonly attempts: readonly (readonly [string, readonly (readonly [string, number])[]])[]
}

/** What a person asks for. */
interface Order {
  readonly order: 'allowNow' | 'retryNow' | 'closeBreakers'
  readonly webhooks: readonly LaneId[]
}

/** The lanes of all nodes, as the management API talks with them: what it asks and what it orders concerns each node. */
export class SharedLanes implements Asked {
  readonly #options: SharedLanesOptions

  constructor(options: SharedLanesOptions) {
    this.#options = options
    options.signals.onAsked('lanes', (question) => this.#answer(question as Question))
    options.signals.onTold('lanes', (told) => {
      const { order, webhooks } = told as Order
      void options.lanes[order](webhooks)
    })
  }

  async states(
    destinationIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly LaneState[]>> {
    const { lanes, clock } = this.#options
    const [own, others] = await Promise.all([
      lanes.states(destinationIds),
      this.#ask<States>({ states: destinationIds }),
    ])
    const merged = new Map(own)
    const now = clock.now()
    for (const [id, told] of others.flatMap(({ states }) => states)) {
      const states = merged.get(id) ?? []
      merged.set(
        id,
        states.map((state) => mergedState(state, told, now)),
      )
    }
    return merged
  }

  async attemptsOf(
    deliveries: readonly Pick<Delivery, 'id' | 'destinationId'>[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    const asked = deliveries.map(({ id, destinationId }) => ({ id, destinationId }))
    const [own, others] = await Promise.all([
      this.#options.lanes.attemptsOf(asked),
      this.#ask<AttemptsMade>({ attempts: asked }),
    ])
    const now = this.#options.clock.wall()
    const all = new Map([...own].map(([id, begun]) => [id, new Map(begun)]))
    for (const [id, begun] of others.flatMap(({ attempts }) => attempts)) {
      const known = all.get(id) ?? new Map<string, number>()
      for (const [url, forMs] of begun) known.set(url, now - forMs)
      all.set(id, known)
    }
    return all
  }

  allowNow(webhooks: readonly LaneId[]): Promise<void> {
    return this.#order({ order: 'allowNow', webhooks })
  }

  retryNow(webhooks: readonly LaneId[]): Promise<void> {
    return this.#order({ order: 'retryNow', webhooks })
  }

  closeBreakers(webhooks: readonly LaneId[]): Promise<void> {
    return this.#order({ order: 'closeBreakers', webhooks })
  }

  async #order(order: Order): Promise<void> {
    this.#options.signals.tell('lanes', order)
    await this.#options.lanes[order.order](order.webhooks)
  }

  async #ask<Answer>(question: Question): Promise<readonly Answer[]> {
    return (await this.#options.signals.ask('lanes', question)) as readonly Answer[]
  }

  async #answer(question: Question): Promise<States | AttemptsMade> {
    const { lanes, clock } = this.#options
    if ('states' in question) {
      const states = await lanes.states(question.states)
      const now = clock.now()
      return {
        states: [...states].map(([id, each]) => [id, each.map((state) => toldState(state, now))]),
      }
    }
    const attempts = await lanes.attemptsOf(question.attempts)
    const now = clock.wall()
    return {
      attempts: [...attempts].map(([id, begun]) => [
        id,
        [...begun].map(([url, at]) => [url, now - at] as const),
      ]),
    }
  }
}
