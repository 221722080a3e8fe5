import { WebhookHealth } from '../../../../packages/server/src/delivery/health/webhook-health.ts'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'

/** What the engine knows of webhooks, with someone who hears how much longer one was to rest when it is tried. */
export class WatchedHealth extends WebhookHealth {
  readonly #onTry: (url: string, restsUntil: number) => void

  constructor(clock: Clock, onTry: (url: string, restsUntil: number) => void) {
    super(clock)
    this.#onTry = onTry
  }

  override onAttempt(destinationId: string, url: string): void {
    this.#onTry(url, super.blockedUntil(destinationId, url))
    super.onAttempt(destinationId, url)
  }
}
