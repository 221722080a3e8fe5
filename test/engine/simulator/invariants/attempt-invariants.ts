import { laneKey } from '../../../../packages/server/src/backend/deliveries.ts'
import { type DurableState, isFinal } from '../backend/durable-state.ts'
import type { Scenario } from '../scenario.ts'
import type { AttemptListener, BegunAttempt } from './instrumentation.ts'

export interface AttemptInvariantsOptions {
  readonly limits: Scenario['limits']
  readonly state: DurableState
  readonly onViolation: (violation: string) => void
}

/** Checks which attempts are in flight, and how many, when attempts begin and end. A lane is that of one webhook. */
export class AttemptInvariants implements Pick<AttemptListener, 'attemptBegins'> {
  readonly #options: AttemptInvariantsOptions
  readonly #inFlight = new Set<string>()
  readonly #byLane = new Map<string, number>()
  readonly #begun = new Map<string, number>()
  /** The purges that the process has begun: by user, the time up to which events are purged. */
  readonly #purges = new Map<string, number>()
  #retries = 0

  constructor(options: AttemptInvariantsOptions) {
    this.#options = options
  }

  /** The attempts of a lane that are in flight. */
  of(lane: string): number {
    return this.#byLane.get(lane) ?? 0
  }

  /** How many attempts of a lane have begun since the start of the simulation. */
  begunOf(lane: string): number {
    return this.#begun.get(lane) ?? 0
  }

  /** Whether there is a slot for another attempt, also for a retry. */
  get hasRoom(): boolean {
    const { maxInFlight } = this.#options.limits
    return this.#inFlight.size < maxInFlight && this.#retries < quarter(maxInFlight)
  }

  attemptBegins(begun: BegunAttempt): void {
    const lane = laneOf(begun)
    this.#checkDelivery(begun)
    this.#count(begun, 1)
    this.#begun.set(lane, this.begunOf(lane) + 1)
    this.#inFlight.add(keyOf(begun))
    this.#checkLimits(lane)
  }

  attemptEnds(begun: BegunAttempt): void {
    this.#count(begun, -1)
    this.#inFlight.delete(keyOf(begun))
  }

  /** From now on no event of the user up to the seq `through` may be sent. */
  purgeBegins(userId: string, through: number): void {
    this.#purges.set(userId, Math.max(through, this.#purges.get(userId) ?? 0))
  }

  /** The process has ended, and its attempts with it. */
  reset(): void {
    this.#purges.clear()
    this.#inFlight.clear()
    this.#byLane.clear()
    this.#retries = 0
  }

  #checkDelivery(begun: BegunAttempt): void {
    const { state, onViolation } = this.#options
    const { destination, open, url } = begun
    const { id } = open.delivery
    const stored = state.deliveries.get(id)
    const part = stored?.webhooks.find((each) => each.url === url)
    if (stored !== undefined && part === undefined && isFinal(stored))
      onViolation(`${id}: sent although it was recorded as ${stored.state}`)
    if (part !== undefined && part.state !== 'pending')
      onViolation(`${id}: sent to ${url} although that part was recorded as ${part.state}`)
    if (state.isCovered(this.#purges, open.event))
      onViolation(`${id}: sent although its user was deleted`)
    if (this.#inFlight.has(keyOf(begun))) onViolation(`${id}: in two attempts at the same time`)
    const current = state.destinations.get(destination.id)
    if (current === undefined) onViolation(`${id}: sent to a destination that was removed`)
    else if (!current.enabled || current.paused !== null)
      onViolation(`${id}: sent to a destination that was disabled or paused`)
  }

  #checkLimits(lane: string): void {
    const { limits, onViolation } = this.#options
    const { maxInFlight, laneConcurrency } = limits
    const checkAtMost = (count: number, most: number, what: string): void => {
      if (count > most) onViolation(`${count} ${what} in flight; the limit is ${most}`)
    }
    checkAtMost(this.#inFlight.size, maxInFlight, 'attempts')
    const mostOfLane = Math.min(laneConcurrency, quarter(maxInFlight))
    checkAtMost(this.of(lane), mostOfLane, `attempts of ${lane}`)
    checkAtMost(this.#retries, quarter(maxInFlight), 'retries')
  }

  #count(begun: BegunAttempt, by: 1 | -1): void {
    const lane = laneOf(begun)
    this.#byLane.set(lane, this.of(lane) + by)
    if (begun.isRetry) this.#retries += by
  }
}

function laneOf({ destination, url }: BegunAttempt): string {
  return laneKey({ destinationId: destination.id, url })
}

function keyOf({ open, url }: BegunAttempt): string {
  return `${open.delivery.id} ${url}`
}

/** The most attempts that retries, and that one lane, may have in flight. */
function quarter(maxInFlight: number): number {
  return Math.max(1, Math.floor(maxInFlight / 4))
}
