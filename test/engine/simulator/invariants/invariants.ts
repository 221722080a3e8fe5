import type { Destination } from '@hookline/protocol'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'
import type { BackendListener } from '../backend/backend-listener.ts'
import type { DurableState } from '../backend/durable-state.ts'
import type { ReceiverBehaviour } from '../environment/receiver-behaviour.ts'
import type { Scenario } from '../scenario.ts'
import { EventLedger } from './event-ledger.ts'
import type { RoundListener } from './instrumentation.ts'
import { ProgressInvariants } from './progress-invariants.ts'
import { RecordInvariants } from './record-invariants.ts'
import { RequestHistory } from './request-history.ts'
import { RoundInvariants } from './round-invariants.ts'

export interface InvariantsOptions {
  readonly scenario: Pick<Scenario, 'limits' | 'retryWindowMs'>
  readonly clock: Clock
  readonly state: DurableState
  readonly behaviours: ReadonlyMap<string, ReceiverBehaviour>
}

/** All invariants of the engine. They observe what becomes durable, which rounds are in flight and what is sent. */
export class Invariants {
  /** Each violation, as a sentence. */
  readonly violations = new Set<string>()
  readonly ledger: EventLedger
  readonly requests: RequestHistory
  readonly rounds: RoundInvariants
  readonly #progress: ProgressInvariants
  readonly #records: RecordInvariants
  readonly #clock: Clock
  readonly #state: DurableState
  #interruptions = 0

  constructor({ scenario, clock, state, behaviours }: InvariantsOptions) {
    const { limits, retryWindowMs } = scenario
    const onViolation = (violation: string): void => this.violated(violation)
    this.#clock = clock
    this.#state = state
    this.ledger = new EventLedger(state, onViolation)
    this.requests = new RequestHistory(behaviours)
    this.rounds = new RoundInvariants({ limits, state, onViolation })
    this.#progress = new ProgressInvariants(onViolation, clock.now())
    const destination = (id: string): Destination | undefined => state.destinations.get(id)
    const { requests } = this
    this.#records = new RecordInvariants({
      clock,
      retryWindowMs,
      requests,
      destination,
      onViolation,
    })
  }

  violated(violation: string): void {
    this.violations.add(violation)
  }

  /** Observes what becomes durable. */
  get backendListener(): BackendListener {
    const { ledger } = this
    return {
      appended: (events) => ledger.appended(events),
      archived: (event, result, declined) => ledger.archived(event, result, declined),
      acked: (events) => ledger.acked(events),
      purged: (removed) => {
        ledger.purged(removed)
        for (const each of removed.deliveries) this.#progress.recorded({ ...each, dueAt: null })
      },
      recorded: (before, offered, isNewer) => {
        ledger.recorded(before, offered, isNewer)
        this.#records.check(before, offered, isNewer)
        if (isNewer) this.#progress.recorded(offered)
      },
    }
  }

  /** Observes the rounds in flight. */
  get roundListener(): RoundListener {
    return {
      roundBegins: (task, destination) => this.rounds.roundBegins(task, destination),
      roundEnds: (task, result) => {
        this.rounds.roundEnds(task, result)
        for (const attempt of result.attempts) this.requests.ended(attempt)
      },
    }
  }

  /** A request is sent. A receiver may take a delivery once, and once more for each interruption of a process. */
  sent(deliveryId: string, url: string, outcome: 'delivered' | 'retry' | 'rejected'): void {
    const taken = this.requests.sent(deliveryId, url, outcome)
    const allowed = 1 + this.#interruptions
    if (taken > allowed)
      this.violated(
        `${deliveryId}: ${url} took it ${taken} times, and with ${this.#interruptions} interruptions at most ${allowed} are allowed`,
      )
  }

  /** An attempt on the webhook begins. */
  tried(url: string, blockedUntil: number): void {
    const blockedForMs = blockedUntil - this.#clock.now()
    if (blockedForMs > 0)
      this.violated(`${url}: tried while it was blocked for another ${blockedForMs} ms`)
    const isPaused = this.#state.destinations
      .values()
      .some(({ settings }) => settings.webhooks.some((each) => each.url === url && each.paused))
    if (isPaused) this.violated(`${url}: tried while it was paused`)
  }

  /** The process begins to purge the user's events up to the seq `through`. */
  purgeBegins(userId: string, through: number): void {
    this.rounds.purgeBegins(userId, through)
    this.ledger.purgeBegins(userId, through)
  }

  /** A process ended before it could record the results of all its rounds. */
  interrupted(): void {
    this.#interruptions++
    this.rounds.reset()
  }

  /**
   * Checks what must be true after each step of the clock.
   * @param isUp whether the process runs and the backend is available to it
   * @param isBlocked whether no webhook of the destination may be tried
   */
  check(isUp: boolean, isBlocked: (destination: Destination) => boolean): void {
    this.ledger.check()
    for (const destination of this.#state.destinations.values()) {
      const { id: destinationId, enabled, paused, settings } = destination
      const isIdle = isUp && this.rounds.of(destinationId) === 0 && this.rounds.hasRoom
      const isPaused = paused !== null || settings.webhooks.every((each) => each.paused)
      this.#progress.check(this.#clock.now(), {
        destinationId,
        isReady: isIdle && enabled && !isPaused && !isBlocked(destination),
        isPaused: isIdle && isPaused,
        rounds: this.rounds.begunOf(destinationId),
      })
    }
  }
}
