import type { Attempt, Destination, Webhook } from '@hookline/protocol'
import { WebhookHealth } from '../../../../packages/server/src/delivery/health/webhook-health.ts'
import type { OpenDelivery } from '../../../../packages/server/src/delivery/lanes/open-delivery.ts'
import {
  type CompletedAttempt,
  Attempts,
  type AttemptsOptions,
} from '../../../../packages/server/src/delivery/parts/attempts.ts'
import { partOf } from '../../../../packages/server/src/delivery/parts/parts.ts'
import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'

/** An attempt in flight. */
export interface BegunAttempt {
  readonly open: OpenDelivery
  readonly destination: Destination
  readonly url: string
  readonly isRetry: boolean
}

export interface AttemptListener {
  attemptBegins(begun: BegunAttempt): void
  attemptEnds(begun: BegunAttempt, attempt: Attempt): void
}

/** The engine's `Attempts`, with a listener for the beginning and end of attempts. */
export class InstrumentedAttempts extends Attempts {
  readonly #listener: AttemptListener

  constructor(options: AttemptsOptions, listener: AttemptListener) {
    super(options)
    this.#listener = listener
  }

  override async make(
    open: OpenDelivery,
    destination: Destination,
    webhook: Webhook,
    mayBegin: () => boolean,
  ): Promise<CompletedAttempt | undefined> {
    const { url } = webhook
    const isRetry = partOf(open.delivery, url)?.lastAttempt !== undefined
    const begun = { open, destination, url, isRetry }
    this.#listener.attemptBegins(begun)
    const result = await super.make(open, destination, webhook, mayBegin)
    if (result !== undefined) this.#listener.attemptEnds(begun, result.attempt)
    return result
  }
}

/** The engine's `WebhookHealth`, which also reports for each attempt how long its webhook is blocked. */
export class InstrumentedHealth extends WebhookHealth {
  readonly #onTry: (url: string, blockedUntil: number) => void

  constructor(clock: Clock, onTry: (url: string, blockedUntil: number) => void) {
    super(clock)
    this.#onTry = onTry
  }

  override onAttempt(destinationId: string, url: string): number {
    this.#onTry(url, this.trueBlockedUntil(destinationId, url))
    return super.onAttempt(destinationId, url)
  }

  /** `blockedUntil` as the engine computes it, even if a planted bug overrides it. */
  trueBlockedUntil(destinationId: string, url: string): number {
    return super.blockedUntil(destinationId, url)
  }
}
