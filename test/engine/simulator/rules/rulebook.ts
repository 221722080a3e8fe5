import type { Destination } from '@hookline/protocol'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'
import { Accounts } from './accounts.ts'
import type { DurableState } from '../backend/durable-state.ts'
import { Observations } from './observations.ts'
import type { Weather } from '../surroundings/receiver-weather.ts'
import { ProgressRules } from './rules-of-progress.ts'
import { RecordRules } from './rules-of-records.ts'
import { RoundRules } from './rules-of-rounds.ts'
import type { Scenario } from '../scenario.ts'
import type { RoundWatcher } from './watched-rounds.ts'
import type { Witness } from './witness.ts'

export interface RulebookOptions {
  readonly scenario: Pick<Scenario, 'limits' | 'retryWindowMs'>
  readonly clock: Clock
  readonly state: DurableState
  readonly weather: ReadonlyMap<string, Weather>
}

/** Every rule of the engine, fed with what becomes durable, what is in flight and what is sent. */
export class Rulebook {
  /** What was against the rules, in words. */
  readonly violations = new Set<string>()
  readonly accounts: Accounts
  readonly seen: Observations
  readonly rounds: RoundRules
  readonly progress: ProgressRules
  readonly #records: RecordRules
  readonly #clock: Clock
  readonly #state: DurableState
  #interruptions = 0

  constructor({ scenario: { limits, retryWindowMs }, clock, state, weather }: RulebookOptions) {
    const onViolation = (what: string): void => this.breaks(what)
    this.#clock = clock
    this.#state = state
    this.accounts = new Accounts(state, onViolation)
    this.seen = new Observations(weather)
    this.rounds = new RoundRules({ limits, state, onViolation })
    this.progress = new ProgressRules(onViolation)
    const destination = (id: string): Destination | undefined => state.destinations.get(id)
    const { seen } = this
    this.#records = new RecordRules({ clock, retryWindowMs, seen, destination, onViolation })
  }

  breaks(what: string): void {
    this.violations.add(what)
  }

  /** What becomes durable. */
  get witness(): Witness {
    const { accounts } = this
    return {
      appended: (events) => accounts.appended(events),
      archived: (event, found, declined) => accounts.archived(event, found, declined),
      acked: (events) => accounts.acked(events),
      purged: (removed) => {
        accounts.purged(removed)
        for (const each of removed.deliveries) this.progress.recorded({ ...each, dueAt: null })
      },
      recorded: (before, offered, isTaken) => {
        accounts.recorded(before, offered, isTaken)
        this.#records.check(before, offered, isTaken)
        if (isTaken) this.progress.recorded(offered)
      },
    }
  }

  /** What is in flight. */
  get watcher(): RoundWatcher {
    return {
      roundBegins: (task, destination) => this.rounds.roundBegins(task, destination),
      roundEnds: (task, result) => {
        this.rounds.roundEnds(task, result)
        for (const attempt of result.attempts) this.seen.ended(attempt)
      },
    }
  }

  /** A request leaves. A receiver takes a delivery once, and once more for each process that was cut off. */
  sent(deliveryId: string, url: string, outcome: 'delivered' | 'retry' | 'rejected'): void {
    const taken = this.seen.sent(deliveryId, url, outcome)
    if (taken > 1 + this.#interruptions)
      this.breaks(`${deliveryId}: taken ${taken} times by ${url}`)
  }

  /** A webhook is tried that was to rest until then. */
  tried(url: string, restsUntil: number): void {
    if (restsUntil > this.#clock.now()) this.breaks(`${url} was tried while it rests`)
    const isPaused = this.#state.destinations
      .values()
      .some(({ settings }) => settings.webhooks.some((each) => each.url === url && each.paused))
    if (isPaused) this.breaks(`${url} was tried while it is paused`)
  }

  /** A process ended without being able to keep all that it had done. */
  wasCutOff(): void {
    this.#interruptions++
    this.rounds.died()
  }

  /**
   * After each step of time.
   * @param isUp the process runs, and the backend answers it
   * @param rests whether no webhook of the destination may be tried
   */
  check(isUp: boolean, rests: (destination: Destination) => boolean): void {
    this.accounts.check()
    for (const destination of this.#state.destinations.values()) {
      const { id: destinationId, enabled, paused, settings } = destination
      const isIdle = isUp && this.rounds.of(destinationId) === 0 && this.rounds.hasRoom
      const isPaused = paused !== null || settings.webhooks.every((each) => each.paused)
      this.progress.check(this.#clock.now(), {
        destinationId,
        isReady: isIdle && enabled && !isPaused && !rests(destination),
        isPaused: isIdle && isPaused,
        rounds: this.rounds.begunOf(destinationId),
      })
    }
  }
}
