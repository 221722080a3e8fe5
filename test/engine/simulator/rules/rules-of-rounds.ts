import type { Destination } from '@hookline/protocol'
import type { RoundResult } from '../../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { DeliveryTask } from '../../../../packages/server/src/delivery/lanes/lane.ts'
import { type DurableState, isCovered } from '../backend/durable-state.ts'
import { isFinal } from '../backend/is-final.ts'
import type { Scenario } from '../scenario.ts'
import type { RoundWatcher } from './watched-rounds.ts'

export interface RoundRulesOptions {
  readonly limits: Scenario['limits']
  readonly state: DurableState
  readonly onViolation: (what: string) => void
}

/** What may be in flight, checked as rounds begin and end. */
export class RoundRules implements RoundWatcher {
  readonly #options: RoundRulesOptions
  readonly #inFlight = new Map<string, DeliveryTask>()
  readonly #byLane = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  /** By user: the purges that the process has begun. */
  readonly #purges = new Map<string, number>()
  #retries = 0
  /** The most of all slots that later rounds ever had. */
  mostRetryShare = 0

  constructor(options: RoundRulesOptions) {
    this.#options = options
  }

  /** Rounds in flight of a destination. */
  of(destinationId: string): number {
    return this.#byLane.get(destinationId) ?? 0
  }

  /** Rounds begun of a destination, since the beginning. */
  begunOf(destinationId: string): number {
    return this.#begun.get(destinationId) ?? 0
  }

  /** Whether another round, of any lane, could begin. */
  get hasRoom(): boolean {
    const { maxInFlight } = this.#options.limits
    return this.#inFlight.size < maxInFlight && this.#retries < quarter(maxInFlight)
  }

  roundBegins(task: DeliveryTask, destination: Destination): void {
    this.#checkDelivery(task, destination)
    this.#count(task, 1)
    this.#begun.set(destination.id, this.begunOf(destination.id) + 1)
    this.#inFlight.set(task.delivery.id, task)
    this.#checkLimits(destination.id)
  }

  roundEnds(task: DeliveryTask, _result: RoundResult): void {
    this.#count(task, -1)
    this.#inFlight.delete(task.delivery.id)
  }

  /** From now on nothing that was received of the user until then is sent. */
  purgeBegins(userId: string, until: number): void {
    this.#purges.set(userId, Math.max(until, this.#purges.get(userId) ?? 0))
  }

  /** The process is gone, and its rounds with it. */
  died(): void {
    this.#purges.clear()
    this.#inFlight.clear()
    this.#byLane.clear()
    this.#retries = 0
  }

  #checkDelivery({ delivery, event }: DeliveryTask, destination: Destination): void {
    const { state, onViolation } = this.#options
    const kept = state.deliveries.get(delivery.id)
    if (kept !== undefined && isFinal(kept))
      onViolation(`${delivery.id}: sent though ${kept.state}`)
    if (isCovered(this.#purges, event))
      onViolation(`${delivery.id}: sent though its user was deleted`)
    if (this.#inFlight.has(delivery.id)) onViolation(`${delivery.id}: in flight twice`)
    const current = state.destinations.get(destination.id)
    if (current === undefined) onViolation(`${delivery.id}: sent to a removed destination`)
    else if (!current.enabled || current.paused !== null)
      onViolation(`${delivery.id}: sent to a destination that is off`)
  }

  #checkLimits(destinationId: string): void {
    const { limits, onViolation } = this.#options
    const { maxInFlight, laneConcurrency } = limits
    const ofLane = this.of(destinationId)
    if (this.#inFlight.size > maxInFlight) onViolation(`${this.#inFlight.size} rounds in flight`)
    if (ofLane > Math.min(laneConcurrency, quarter(maxInFlight)))
      onViolation(`${ofLane} rounds of one lane in flight`)
    if (this.#retries > quarter(maxInFlight)) onViolation(`${this.#retries} retries in flight`)
    this.mostRetryShare = Math.max(this.mostRetryShare, this.#retries / maxInFlight)
  }

  #count({ delivery: { destinationId, rounds } }: DeliveryTask, by: 1 | -1): void {
    this.#byLane.set(destinationId, this.of(destinationId) + by)
    if (rounds > 0) this.#retries += by
  }
}

/** The share of later rounds, and the most of one lane. */
function quarter(maxInFlight: number): number {
  return Math.max(1, Math.floor(maxInFlight / 4))
}
