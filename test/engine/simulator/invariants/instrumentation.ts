import type { Destination } from '@hookline/protocol'
import { WebhookHealth } from '../../../../packages/server/src/delivery/health/webhook-health.ts'
import type { DeliveryTask } from '../../../../packages/server/src/delivery/lanes/lane.ts'
import {
  AttemptRounds,
  type AttemptRoundsOptions,
  type RoundResult,
} from '../../../../packages/server/src/delivery/rounds/attempt-round.ts'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'

export interface RoundListener {
  roundBegins(task: DeliveryTask, destination: Destination): void
  roundEnds(task: DeliveryTask, result: RoundResult): void
}

/** The engine's `AttemptRounds`, which also calls a listener when a round begins and ends. */
export class InstrumentedRounds extends AttemptRounds {
  readonly #listener: RoundListener

  constructor(options: AttemptRoundsOptions, listener: RoundListener) {
    super(options)
    this.#listener = listener
  }

  override async make(task: DeliveryTask, destination: Destination): Promise<RoundResult> {
    this.#listener.roundBegins(task, destination)
    const result = await super.make(task, destination)
    this.#listener.roundEnds(task, result)
    return result
  }
}

/** The engine's `WebhookHealth`, which also reports, for each attempt, until when its webhook is blocked. */
export class InstrumentedHealth extends WebhookHealth {
  readonly #onTry: (url: string, blockedUntil: number) => void

  constructor(clock: Clock, onTry: (url: string, blockedUntil: number) => void) {
    super(clock)
    this.#onTry = onTry
  }

  override onAttempt(destinationId: string, url: string): void {
    this.#onTry(url, super.blockedUntil(destinationId, url))
    super.onAttempt(destinationId, url)
  }
}
