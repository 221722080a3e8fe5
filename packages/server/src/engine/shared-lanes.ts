import type { Delivery, LaneState } from '@hookline/protocol'
import type { LaneId, WebhookLanes } from '../backend/deliveries.ts'
import type { Signals } from '../backend/signals.ts'
import type { Clock } from '../util/time/clock.ts'

export interface SharedLanesOptions {
  /** Those of this node. */
  readonly lanes: WebhookLanes
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
export class SharedLanes implements WebhookLanes {
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

/** How a webhook stands on another node. Times of its clock are told as durations. */
interface ToldState {
  readonly url: string
  readonly breaker: LaneState['breaker']
  readonly brokenForMs: number | null
  readonly restsForMs: number | null
  readonly retryAfterForMs: number | null
  readonly pacePerSecond: number | null
  readonly inFlight: number
}

function toldState(state: LaneState, now: number): ToldState {
  const { url, breaker, brokenSince, restsUntil, retryAfterUntil, pacePerSecond, inFlight } = state
  return {
    url,
    breaker,
    brokenForMs: brokenSince === null ? null : now - brokenSince,
    restsForMs: restsUntil === null ? null : restsUntil - now,
    retryAfterForMs: retryAfterUntil === null ? null : retryAfterUntil - now,
    pacePerSecond,
    inFlight,
  }
}

/**
 * The state of a webhook on this node and another one. The node that knows more decides: one whose breaker is not closed; among
 * several, the one that tries first, because the others hear of its result.
 */
function mergedState(own: LaneState, told: readonly ToldState[], now: number): LaneState {
  const other = told.find(({ url }) => url === own.url)
  if (other === undefined) return own
  const brokenSince = earliest(own.brokenSince, timeAt(now, other.brokenForMs, -1))
  const retryAfterUntil = latest(own.retryAfterUntil, timeAt(now, other.retryAfterForMs, 1))
  const restsUntil =
    own.breaker !== 'closed' && other.breaker !== 'closed'
      ? earliest(own.restsUntil, timeAt(now, other.restsForMs, 1))
      : latest(own.restsUntil, timeAt(now, other.restsForMs, 1))
  const breaker = own.breaker === 'closed' ? other.breaker : own.breaker
  const inFlight = own.inFlight + other.inFlight
  const pacePerSecond = total(own.pacePerSecond, other.pacePerSecond)
  return { ...own, breaker, brokenSince, restsUntil, retryAfterUntil, pacePerSecond, inFlight }
}

function timeAt(now: number, forMs: number | null, sign: 1 | -1): number | null {
  return forMs === null ? null : now + sign * forMs
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** Each node learns a pace of its own. */
function total(a: number | null, b: number | null | undefined): number | null {
  return a === null || b == null ? (a ?? b ?? null) : a + b
}
