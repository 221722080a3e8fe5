import type { Attempt, Destination } from '@hookline/protocol'
import { laneKey } from '../../../../packages/server/src/backend/deliveries.ts'
import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'
import type { BackendListener } from '../backend/backend-listener.ts'
import type { DurableState } from '../backend/durable-state.ts'
import type { ReceiverBehaviour } from '../environment/receiver-behaviour.ts'
import type { Scenario } from '../scenario.ts'
import { destinationIdOf } from '../environment/simulated-destinations.ts'
import { DestinationsInForce } from './destinations-in-force.ts'
import { EventLedger } from './event-ledger.ts'
import { LogLag } from './log-lag.ts'
import type { AttemptListener } from './instrumentation.ts'
import { ProgressInvariants } from './progress-invariants.ts'
import { RecordInvariants } from './record-invariants.ts'
import { RequestHistory } from './request-history.ts'
import { AttemptInvariants } from './attempt-invariants.ts'

export interface InvariantsOptions {
  readonly scenario: Pick<Scenario, 'limits' | 'retryWindowMs' | 'threads'>
  readonly clock: Clock
  readonly state: DurableState
  readonly behaviours: ReadonlyMap<string, ReceiverBehaviour>
}

/** The state of a lane in its thread or, without threads, in the process. */
export interface LaneInGroup {
  /** The number of the thread, or 0 without threads. */
  readonly group: number
  /** Whether attempts to the webhook are blocked. */
  readonly isBlocked: boolean
}

/** All invariants of the engine, checked against durable changes, attempts in flight and requests. */
export class Invariants {
  /** A description of each violation. */
  readonly violations = new Set<string>()
  readonly ledger: EventLedger
  readonly requests: RequestHistory
  readonly attempts: AttemptInvariants
  readonly #progress: ProgressInvariants
  readonly #records: RecordInvariants
  readonly #logLag: LogLag
  readonly #clock: Clock
  readonly #state: DurableState
  readonly #inForce: DestinationsInForce
  readonly #urls: readonly string[]
  #interruptions = 0
  /** Interruptions of the thread that delivers to a webhook, by URL. */
  readonly #threadInterruptions = new Map<string, number>()

  constructor({ scenario, clock, state, behaviours }: InvariantsOptions) {
    const { limits, retryWindowMs, threads = 0 } = scenario
    const onViolation = (violation: string): void => this.violated(violation)
    this.#clock = clock
    this.#state = state
    this.ledger = new EventLedger(state, onViolation)
    this.requests = new RequestHistory(behaviours)
    this.#urls = [...behaviours.keys()]
    this.#inForce = new DestinationsInForce(state)
    const inForce = this.#inForce
    this.attempts = new AttemptInvariants({ limits, threads, state, inForce, onViolation })
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

  /** Observes durable changes. */
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
      purgeApplied: (userId, through) => this.attempts.purgeBegins(userId, through),
      destinationChanges: (id, before) => this.#inForce.changes(id, before),
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

  /** Observes the attempts in flight of a group of lanes. */
  attemptListenerOf(group: number): AttemptListener {
    return {
      attemptBegins: (begun) => this.attempts.attemptBegins(begun, group),
      attemptEnds: (begun, attempt) => {
        this.attempts.attemptEnds(begun, group)
        this.requests.ended(attempt)
      },
    }
  }

  /**
   * Called when a request is sent. A receiver may accept a delivery once, and once more for each interruption of a
   * process or of the thread that delivers to it.
   */
  sent(deliveryId: string, url: string, outcome: Attempt['outcome']): void {
    const successes = this.requests.sent(deliveryId, url, outcome)
    const interruptions = this.#interruptions + (this.#threadInterruptions.get(url) ?? 0)
    const allowed = 1 + interruptions
    if (successes > allowed)
      this.violated(
        `${deliveryId}: ${url} accepted it ${successes} times, but ${interruptions} interruptions allow at most ${allowed}`,
      )
  }

  /** Called when an attempt to the webhook begins. */
  tried(url: string, blockedUntil: number): void {
    const blockedForMs = blockedUntil - this.#clock.now()
    if (blockedForMs > 0)
      this.violated(`${url}: attempted while it was blocked for another ${blockedForMs} ms`)
    const isPaused = (destination: Destination | undefined): boolean =>
      destination?.settings.webhooks.some((each) => each.url === url && each.paused) === true
    if (this.#inForce.of(destinationIdOf(url)).every(isPaused))
      this.violated(`${url}: attempted while it was paused`)
  }

  /** Called when the process starts to purge the user's events up to the seq `through`. */
  purgeBegins(userId: string, through: number): void {
    this.ledger.purgeBegins(userId, through)
  }

  /** Called when a process exited before it could record the results of all its attempts. */
  interrupted(): void {
    this.#interruptions++
    this.attempts.reset()
  }

  /** Called when a process has started. */
  processStarted(): void {
    this.requests.processStarted(this.#clock.now())
    this.#inForce.reset()
  }

  /** Called when the thread with the lanes of these destinations was killed. */
  threadInterrupted(group: number, owns: (destinationId: string) => boolean): void {
    this.attempts.resetGroup(group)
    for (const url of this.#urls)
      if (owns(destinationIdOf(url)))
        this.#threadInterruptions.set(url, (this.#threadInterruptions.get(url) ?? 0) + 1)
  }

  /** Called when the thread for the lanes of these destinations has started. */
  threadStarted(owns: (destinationId: string) => boolean): void {
    this.requests.threadStarted({ owns, at: this.#clock.now() })
  }

  /**
   * Checks the invariants that must hold after each step of the clock.
   * @param isUp whether the process is running and the backend is available to it
   * @param areThreadsUp whether no thread is being restarted. The log waits for unfinished work of killed threads
   * @param laneOf the state of a lane; `undefined` while its thread is being restarted
   */
  check(
    { isUp, areThreadsUp }: { readonly isUp: boolean; readonly areThreadsUp: boolean },
    laneOf: (destinationId: string, url: string) => LaneInGroup | undefined,
  ): void {
    this.ledger.check()
    const now = this.#clock.now()
    this.#logLag.check(now, isUp && areThreadsUp)
    for (const {
      id: destinationId,
      enabled,
      paused,
      settings,
    } of this.#state.destinations.values()) {
      for (const { url, paused: webhookPaused } of settings.webhooks) {
        const lane = laneKey({ destinationId, url })
        const its = isUp ? laneOf(destinationId, url) : undefined
        const isIdle =
          its !== undefined && this.attempts.of(lane) === 0 && this.attempts.hasRoom(its.group)
        const isPaused = paused !== null || webhookPaused !== undefined
        this.#progress.check(now, {
          lane,
          isReady: isIdle && enabled && !isPaused && !its.isBlocked,
          isPaused: isIdle && isPaused,
          begun: this.attempts.begunOf(lane),
        })
      }
    }
  }
}
