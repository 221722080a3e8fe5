import { laneKey } from '../../../../packages/server/src/backend/deliveries.ts'
import { type DurableState, isFinal } from '../backend/durable-state.ts'
import type { Scenario } from '../scenario.ts'
import { AttemptsInFlight, type GroupLimits, groupLimits } from './attempts-in-flight.ts'
import type { DestinationsInForce } from './destinations-in-force.ts'
import type { BegunAttempt } from './instrumentation.ts'

export interface AttemptInvariantsOptions {
  readonly limits: Scenario['limits']
  readonly threads: number
  readonly state: DurableState
  readonly inForce: DestinationsInForce
  readonly onViolation: (violation: string) => void
}

/**
 * Checks the attempts in flight, and their number, when attempts begin and end. A group has the lanes of one thread. Without
 * threads, the only group is 0.
 */
export class AttemptInvariants {
  readonly #options: AttemptInvariantsOptions
  readonly #limits: GroupLimits
  readonly #inFlight = new Map<number, AttemptsInFlight>()
  readonly #begun = new Map<string, number>()
  /** The purges that the process has started: by user, the seq of the last purged event. */
  readonly #purges = new Map<string, number>()

  constructor(options: AttemptInvariantsOptions) {
    this.#options = options
    this.#limits = groupLimits(options.limits, options.threads)
  }

  /** The number of attempts of a lane in flight. */
  of(lane: string): number {
    return this.#inFlight.values().reduce((sum, each) => sum + each.of(lane), 0)
  }

  /** The number of attempts of a lane since the start of the simulation. */
  begunOf(lane: string): number {
    return this.#begun.get(lane) ?? 0
  }

  /** Whether there is a free slot for any attempt, including a retry. */
  hasRoom(group: number): boolean {
    const { count, retries } = this.#of(group)
    return count < this.#limits.attempts && retries < this.#limits.retries
  }

  attemptBegins(begun: BegunAttempt, group: number): void {
    const lane = laneOf(begun)
    this.#checkDelivery(begun)
    this.#begun.set(lane, this.begunOf(lane) + 1)
    this.#of(group).begins(keyOf(begun), lane, begun.isRetry)
    this.#checkLimits(lane, this.#of(group))
  }

  attemptEnds(begun: BegunAttempt, group: number): void {
    this.#of(group).ends(keyOf(begun), laneOf(begun), begun.isRetry)
  }

  /** Forbids sending the user's events up to the seq `through` from now on. */
  purgeBegins(userId: string, through: number): void {
    this.#purges.set(userId, Math.max(through, this.#purges.get(userId) ?? 0))
  }

  /** Called when the process, and with it every attempt, has ended. */
  reset(): void {
    this.#purges.clear()
    this.#inFlight.clear()
  }

  /** Called when a thread, and with it its attempts, has ended. The purges of the process continue. */
  resetGroup(group: number): void {
    this.#inFlight.delete(group)
  }

  #of(group: number): AttemptsInFlight {
    let inFlight = this.#inFlight.get(group)
    if (inFlight === undefined) this.#inFlight.set(group, (inFlight = new AttemptsInFlight()))
    return inFlight
  }

  #checkDelivery(begun: BegunAttempt): void {
    const { state, inForce, onViolation } = this.#options
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
    if (this.#inFlight.values().some((each) => each.has(keyOf(begun))))
      onViolation(`${id}: in two attempts at the same time`)
    const known = inForce.of(destination.id).filter((each) => each !== undefined)
    if (known.length === 0) onViolation(`${id}: sent to a destination that was removed`)
    else if (known.every(({ enabled, paused }) => !enabled || paused !== null))
      onViolation(`${id}: sent to a destination that was disabled or paused`)
  }

  #checkLimits(lane: string, inFlight: AttemptsInFlight): void {
    const { onViolation } = this.#options
    const { attempts, ofLane, retries } = this.#limits
    const checkAtMost = (count: number, max: number, what: string): void => {
      if (count > max) onViolation(`${count} ${what} in flight; the limit is ${max}`)
    }
    checkAtMost(inFlight.count, attempts, 'attempts')
    checkAtMost(this.of(lane), ofLane, `attempts of ${lane}`)
    checkAtMost(inFlight.retries, retries, 'retries')
  }
}

function laneOf({ destination, url }: BegunAttempt): string {
  return laneKey({ destinationId: destination.id, url })
}

function keyOf({ open, url }: BegunAttempt): string {
  return `${open.delivery.id} ${url}`
}
