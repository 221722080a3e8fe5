import type { Destination } from '@hookline/protocol'
import type { RoundResult } from '../../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { DeliveryTask } from '../../../../packages/server/src/delivery/lanes/lane.ts'
import { type DurableState, isFinal } from '../backend/durable-state.ts'
import type { Scenario } from '../scenario.ts'
import type { RoundListener } from './instrumentation.ts'

export interface RoundInvariantsOptions {
  readonly limits: Scenario['limits']
  readonly state: DurableState
  readonly onViolation: (violation: string) => void
}

/** Checks which rounds are in flight, and how many, when rounds begin and end. */
export class RoundInvariants implements RoundListener {
  readonly #options: RoundInvariantsOptions
  readonly #inFlight = new Map<string, DeliveryTask>()
  readonly #byLane = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  /** The purges that the process has begun: by user, the time up to which events are purged. */
  readonly #purges = new Map<string, number>()
  #retries = 0

  constructor(options: RoundInvariantsOptions) {
    this.#options = options
  }

  /** The rounds of a destination that are in flight. */
  of(destinationId: string): number {
    return this.#byLane.get(destinationId) ?? 0
  }

  /** How many rounds of a destination have begun since the start of the simulation. */
  begunOf(destinationId: string): number {
    return this.#begun.get(destinationId) ?? 0
  }

  /** Whether there is a slot for another round, also for a retry. */
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

  /** From now on no event of the user up to the seq `through` may be sent. */
  purgeBegins(userId: string, through: number): void {
    this.#purges.set(userId, Math.max(through, this.#purges.get(userId) ?? 0))
  }

  /** The process has ended, and its rounds with it. */
  reset(): void {
    this.#purges.clear()
    this.#inFlight.clear()
    this.#byLane.clear()
    this.#retries = 0
  }

  #checkDelivery({ delivery, event }: DeliveryTask, destination: Destination): void {
    const { state, onViolation } = this.#options
    const stored = state.deliveries.get(delivery.id)
    if (stored !== undefined && isFinal(stored))
      onViolation(`${delivery.id}: sent although it was recorded as ${stored.state}`)
    if (state.isCovered(this.#purges, event))
      onViolation(`${delivery.id}: sent although its user was deleted`)
    if (this.#inFlight.has(delivery.id))
      onViolation(`${delivery.id}: in two rounds at the same time`)
    const current = state.destinations.get(destination.id)
    if (current === undefined) onViolation(`${delivery.id}: sent to a destination that was removed`)
    else if (!current.enabled || current.paused !== null)
      onViolation(`${delivery.id}: sent to a destination that was disabled or paused`)
  }

  #checkLimits(destinationId: string): void {
    const { limits, onViolation } = this.#options
    const { maxInFlight, laneConcurrency } = limits
    const checkAtMost = (count: number, most: number, what: string): void => {
      if (count > most) onViolation(`${count} ${what} in flight; the limit is ${most}`)
    }
    checkAtMost(this.#inFlight.size, maxInFlight, 'rounds')
    const ofLane = this.of(destinationId)
    const mostOfLane = Math.min(laneConcurrency, quarter(maxInFlight))
    checkAtMost(ofLane, mostOfLane, `rounds of ${destinationId}`)
    checkAtMost(this.#retries, quarter(maxInFlight), 'retries')
  }

  #count({ delivery: { destinationId, rounds } }: DeliveryTask, by: 1 | -1): void {
    this.#byLane.set(destinationId, this.of(destinationId) + by)
    if (rounds > 0) this.#retries += by
  }
}

/** The most rounds that retries, and that one lane, may have in flight. */
function quarter(maxInFlight: number): number {
  return Math.max(1, Math.floor(maxInFlight / 4))
}
