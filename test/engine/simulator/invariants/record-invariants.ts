import type { Delivery, DeliveryPart, Destination } from '@hookline/protocol'
import type { Clock } from '../../../../packages/server/src/util/time/clock.ts'
import type { RequestHistory } from './request-history.ts'

export interface RecordInvariantsOptions {
  readonly clock: Clock
  readonly retryWindowMs: number
  readonly requests: RequestHistory
  readonly destination: (id: string) => Destination | undefined
  readonly onViolation: (violation: string) => void
}

/** Checks each delivery record that becomes durable against the requests that were sent. */
export class RecordInvariants {
  readonly #options: RecordInvariantsOptions

  constructor(options: RecordInvariantsOptions) {
    this.#options = options
  }

  check(before: Delivery | undefined, offered: Delivery, isNewer: boolean): void {
    const { onViolation, destination } = this.#options
    const { id } = offered
    if (!isNewer) onViolation(`${id}: the engine wrote a record that is older than the stored one`)
    const more = offered.attemptCount - (before?.attemptCount ?? 0)
    if (more < 0 || more > 1)
      onViolation(
        `${id}: a record changed the number of attempts by ${more}; only 0 or 1 is allowed`,
      )
    // Deliveries of a removed destination end without an attempt.
    const current = destination(offered.destinationId)
    if (current === undefined) return
    if (offered.state === 'delivered') this.#checkDelivered(offered, current)
    this.#checkParts(before, offered, current)
  }

  /** Checks that each webhook has a part, and each changed part. */
  #checkParts(before: Delivery | undefined, offered: Delivery, destination: Destination): void {
    for (const { url } of destination.settings.webhooks) {
      const part = offered.webhooks.find((each) => each.url === url)
      const was = before?.webhooks.find((each) => each.url === url)
      if (part === undefined)
        this.#options.onViolation(`${offered.id}: recorded without a part for ${url}`)
      else if (part.state !== was?.state || part.dueAt !== was.dueAt)
        this.#checkPart(offered, part, destination)
    }
  }

  /** A part ended, or its next attempt was planned. */
  #checkPart(delivery: Delivery, part: DeliveryPart, destination: Destination): void {
    const { requests } = this.#options
    const { url, state, lastAttempt } = part
    const fault = (what: string): void =>
      this.#options.onViolation(`${delivery.id}: the part for ${url} ${what}`)
    if (state === 'pending') this.#checkPending(part, fault)
    if (state === 'rejected' && lastAttempt?.outcome !== 'rejected')
      fault('is rejected, but its webhook did not reject it')
    if (state === 'delivered' && requests.successes(delivery.id, url) === 0)
      fault('is delivered, but its webhook did not accept it')
    if (state === 'removed') fault('ended as removed, but its webhook still exists')
    if (state === 'not_retried') this.#checkNotRetried(delivery, part, destination)
    if (state === 'expired') this.#checkExpired(delivery.id, part)
  }

  #checkPending({ dueAt, firstDueAt }: DeliveryPart, fault: (what: string) => void): void {
    if (dueAt === null) fault('is pending without a due time')
    else if (dueAt > firstDueAt + this.#options.retryWindowMs)
      fault('is to be attempted after the end of its retry window')
  }

  #checkDelivered({ id }: Delivery, { settings }: Destination): void {
    const took = settings.webhooks.filter(
      ({ url }) => this.#options.requests.successes(id, url) > 0,
    )
    const needed = settings.successPolicy === 'any' ? 1 : settings.webhooks.length
    if (took.length < needed)
      this.#options.onViolation(
        `${id}: recorded as delivered, but only ${took.length} of ${needed} webhooks accepted it`,
      )
  }

  /** Every webhook gets at least one attempt for every event, so only an attempted part may end when a sibling succeeds. */
  #checkNotRetried(
    { id, state }: Delivery,
    { url, lastAttempt }: DeliveryPart,
    { settings }: Destination,
  ): void {
    const { onViolation } = this.#options
    if (lastAttempt === undefined) onViolation(`${id}: ${url} was skipped without an attempt`)
    if (settings.successPolicy !== 'any' || state !== 'delivered')
      onViolation(`${id}: ${url} is not retried, although no webhook has the event`)
  }

  /** A part may expire after its window if it was attempted, or if its webhook did not respond during the window. */
  #checkExpired(id: string, { url, firstDueAt, lastAttempt }: DeliveryPart): void {
    const { clock, retryWindowMs, requests, onViolation } = this.#options
    const end = firstDueAt + retryWindowMs
    const isOver = clock.now() >= end
    if (lastAttempt === undefined) {
      if (isOver && requests.hasFailedThroughout(url, firstDueAt)) return
      onViolation(
        `${id}: expired without an attempt, although its window was not over or the webhook responded`,
      )
      return
    }
    const lastSpan = Math.min(60_000, retryWindowMs / 10)
    const retryAfterMs = lastAttempt.class === 'http_throttled' ? requests.retryAfterMs(url) : 0
    const ranOut = lastAttempt.startedAt + lastAttempt.durationMs + retryAfterMs >= end - lastSpan
    if (!isOver && !(lastAttempt.outcome === 'retry' && ranOut))
      onViolation(`${id}: expired before the end of its retry window`)
  }
}
