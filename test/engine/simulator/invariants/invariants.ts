import type { Destination } from '@hookline/protocol'
import { laneKey } from '../../../../packages/server/src/backend/deliveries.ts'
import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'
import type { BackendListener } from '../backend/backend-listener.ts'
import type { DurableState } from '../backend/durable-state.ts'
import type { ReceiverBehaviour } from '../environment/receiver-behaviour.ts'
import type { Scenario } from '../scenario.ts'
import { EventLedger } from './event-ledger.ts'
import { LogLag } from './log-lag.ts'
import type { AttemptListener } from './instrumentation.ts'
import { ProgressInvariants } from './progress-invariants.ts'
import { RecordInvariants } from './record-invariants.ts'
import { RequestHistory } from './request-history.ts'
import { AttemptInvariants } from './attempt-invariants.ts'

export interface InvariantsOptions {
  readonly scenario: Pick<Scenario, 'limits' | 'retryWindowMs'>
  readonly clock: Clock
  readonly state: DurableState
  readonly behaviours: ReadonlyMap<string, ReceiverBehaviour>
}

/** All invariants of the engine. They observe what becomes durable, which attempts are in flight and what is sent. */
export class Invariants {
  /** Each violation, as a sentence. */
  readonly violations = new Set<string>()
  readonly ledger: EventLedger
  readonly requests: RequestHistory
  readonly attempts: AttemptInvariants
  readonly #progress: ProgressInvariants
  readonly #records: RecordInvariants
  readonly #logLag: LogLag
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
    this.attempts = new AttemptInvariants({ limits, state, onViolation })
    this.#progress = new ProgressInvariants(onViolation, clock.now())
    this.#logLag = new LogLag(onViolation)
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
      appended: (events) => {
        ledger.appended(events)
        this.#logLag.appended(events, this.#clock.now())
      },
      archived: (event, result, declined) => ledger.archived(event, result, declined),
      acked: (events) => {
        ledger.acked(events)
        this.#logLag.acked(events)
      },
      purged: (removed) => {
        ledger.purged(removed)
        this.#logLag.purged(removed.eventIds)
        for (const each of removed.deliveries) this.#progress.recorded({ ...each, webhooks: [] })
      },
      recorded: (before, offered, isNewer) => {
        ledger.recorded(before, offered, isNewer)
        this.#records.check(before, offered, isNewer)
        if (isNewer) this.#progress.recorded(offered)
      },
    }
  }

  /** Observes the attempts in flight. */
  get attemptListener(): AttemptListener {
    return {
      attemptBegins: (begun) => this.attempts.attemptBegins(begun),
      attemptEnds: (begun, attempt) => {
        this.attempts.attemptEnds(begun)
        this.requests.ended(attempt)
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
    this.attempts.purgeBegins(userId, through)
    this.ledger.purgeBegins(userId, through)
  }

  /** A process ended before it could record the results of all its attempts. */
  interrupted(): void {
    this.#interruptions++
    this.attempts.reset()
  }

  /**
   * Checks what must be true after each step of the clock.
   * @param isUp whether the process runs and the backend is available to it
   * @param isBlocked whether the webhook may not be tried
   */
  check(isUp: boolean, isBlocked: (destinationId: string, url: string) => boolean): void {
    this.ledger.check()
    const now = this.#clock.now()
    this.#logLag.check(now, isUp)
    for (const {
      id: destinationId,
      enabled,
      paused,
      settings,
    } of this.#state.destinations.values()) {
      for (const { url, paused: webhookPaused } of settings.webhooks) {
        const lane = laneKey({ destinationId, url })
        const isIdle = isUp && this.attempts.of(lane) === 0 && this.attempts.hasRoom
        const isPaused = paused !== null || webhookPaused !== undefined
        this.#progress.check(now, {
          lane,
          isReady: isIdle && enabled && !isPaused && !isBlocked(destinationId, url),
          isPaused: isIdle && isPaused,
          begun: this.attempts.begunOf(lane),
        })
      }
    }
  }
}
