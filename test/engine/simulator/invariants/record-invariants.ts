import type { Delivery, Destination } from '@hookline/protocol'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'
import type { RequestHistory } from './request-history.ts'

export interface RecordInvariantsOptions {
  readonly clock: Clock
  readonly retryWindowMs: number
  readonly requests: RequestHistory
  readonly destination: (id: string) => Destination | undefined
  readonly onViolation: (violation: string) => void
}

/** Checks each record of a delivery, when it becomes durable, against the requests that were sent. */
export class RecordInvariants {
  readonly #options: RecordInvariantsOptions

  constructor(options: RecordInvariantsOptions) {
    this.#options = options
  }

  check(before: Delivery | undefined, offered: Delivery, isNewer: boolean): void {
    const { onViolation, destination } = this.#options
    if (!isNewer)
      onViolation(`${offered.id}: the engine wrote a record that is older than the stored one`)
    const rounds = offered.rounds - (before?.rounds ?? 0)
    if (rounds < 0 || rounds > 1)
      onViolation(
        `${offered.id}: a record changed the number of rounds by ${rounds}; only 0 or 1 is allowed`,
      )
    // Deliveries of a removed destination end without a round.
    const current = destination(offered.destinationId)
    if (current === undefined) return
    if (offered.state === 'pending') this.#checkPending(offered)
    if (offered.state === 'delivered') this.#checkDelivered(offered, current)
    if (offered.state === 'expired') this.#checkExpired(offered, current)
    if (offered.state === 'rejected') this.#checkRejected(offered)
  }

  #checkRejected({ id, webhooks }: Delivery): void {
    const isRejected = webhooks.some(({ outcome }) => outcome === 'rejected')
    if (webhooks.length > 0 && !isRejected)
      this.#options.onViolation(`${id}: recorded as rejected, but no webhook rejected it`)
  }

  /** The next round is planned, and no attempt is planned after the end of the window. */
  #checkPending({ id, webhooks, firstDueAt, dueAt }: Delivery): void {
    const scheduled = webhooks.map((webhook) => webhook.dueAt ?? 0)
    const latest = Math.max(0, ...scheduled)
    if (dueAt === null) this.#options.onViolation(`${id}: recorded as pending without a due time`)
    if (latest > firstDueAt + this.#options.retryWindowMs)
      this.#options.onViolation(`${id}: an attempt is planned after the end of the retry window`)
  }

  #checkDelivered({ id }: Delivery, { settings }: Destination): void {
    const took = settings.webhooks.filter(
      ({ url }) => this.#options.requests.successes(id, url) > 0,
    )
    const needed = settings.successPolicy === 'any' ? 1 : settings.webhooks.length
    if (took.length < needed)
      this.#options.onViolation(
        `${id}: recorded as delivered, but only ${took.length} of ${needed} webhooks took it`,
      )
  }

  /** A delivery may expire when its window has passed and it was tried, or no webhook responded during the window. */
  #checkExpired({ id, rounds, firstDueAt, webhooks }: Delivery, { settings }: Destination): void {
    const { clock, retryWindowMs, requests, onViolation } = this.#options
    const end = firstDueAt + retryWindowMs
    if (rounds === 0) {
      const active = settings.webhooks.filter(({ paused }) => paused === undefined)
      const wasBroken = active.every(({ url }) => requests.failedThroughout(url, firstDueAt))
      if (clock.now() < end || !wasBroken)
        onViolation(
          `${id}: expired without an attempt, although its window was not over or a webhook responded`,
        )
      return
    }
    const lastSpan = Math.min(60_000, retryWindowMs / 10)
    const ranOut = webhooks.some(({ url, outcome, last }) => {
      const asked = last.class === 'http_throttled' ? requests.retryAfterMs(url) : 0
      // After being held, a delivery has a new window, but a webhook that had ended before gets no more attempts.
      const wasOver = last.startedAt < firstDueAt
      const isOver = endOfRound(webhooks, last.round) + asked >= end - lastSpan
      return outcome === 'retry' && (wasOver || isOver)
    })
    if (clock.now() < end && !ranOut)
      onViolation(`${id}: expired before the end of its retry window`)
  }
}

/** When the slowest attempt of the round ended. Its result is decided then. */
function endOfRound(webhooks: Delivery['webhooks'], round: number): number {
  const ofRound = webhooks.filter(({ last }) => last.round === round)
  return Math.max(...ofRound.map(({ last }) => last.startedAt + last.durationMs))
}
