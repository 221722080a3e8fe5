import type { Delivery, Destination } from '@hookline/protocol'
import type { Clock } from '../../../../packages/server/src/util/clock.ts'
import type { Observations } from './observations.ts'

export interface RecordRulesOptions {
  readonly clock: Clock
  readonly retryWindowMs: number
  readonly seen: Observations
  readonly destination: (id: string) => Destination | undefined
  readonly onViolation: (what: string) => void
}

/** What may be written about a delivery, checked as it becomes durable, against what was seen on the network. */
export class RecordRules {
  readonly #options: RecordRulesOptions

  constructor(options: RecordRulesOptions) {
    this.#options = options
  }

  check(before: Delivery | undefined, offered: Delivery, isTaken: boolean): void {
    const { onViolation, destination } = this.#options
    if (!isTaken) onViolation(`${offered.id}: a record older than what is kept was offered`)
    const rounds = offered.rounds - (before?.rounds ?? 0)
    if (rounds < 0 || rounds > 1) onViolation(`${offered.id}: ${rounds} rounds at once`)
    // What is left of a removed destination ends without a round.
    const its = destination(offered.destinationId)
    if (its === undefined) return
    if (offered.state === 'pending') this.#checkPending(offered)
    if (offered.state === 'delivered') this.#checkDelivered(offered, its)
    if (offered.state === 'expired') this.#checkExpired(offered, its)
    if (offered.state === 'rejected') this.#checkRejected(offered)
  }

  #checkRejected({ id, webhooks }: Delivery): void {
    const isByNobody = webhooks.every(({ outcome }) => outcome !== 'rejected')
    if (webhooks.length > 0 && isByNobody) this.#options.onViolation(`${id}: rejected by nobody`)
  }

  /** The next round is within the window, or no webhook may be tried before it. */
  #checkPending({ id, webhooks, firstDueAt, dueAt }: Delivery): void {
    const scheduled = webhooks.map((webhook) => webhook.dueAt ?? 0)
    const latest = Math.max(0, ...scheduled)
    if (dueAt === null) this.#options.onViolation(`${id}: pending, and never due`)
    if (latest > firstDueAt + this.#options.retryWindowMs)
      this.#options.onViolation(`${id}: an attempt is planned after the end of the window`)
  }

  #checkDelivered({ id }: Delivery, { settings }: Destination): void {
    const took = settings.webhooks.filter(({ url }) => this.#options.seen.successes(id, url) > 0)
    const needed = settings.successPolicy === 'any' ? 1 : settings.webhooks.length
    if (took.length < needed)
      this.#options.onViolation(`${id}: delivered, and only ${took.length} of ${needed} took it`)
  }

  /** The window has passed and it was really tried, or no webhook answered all the time (the AND rule). */
  #checkExpired({ id, rounds, firstDueAt, webhooks }: Delivery, { settings }: Destination): void {
    const { clock, retryWindowMs, seen, onViolation } = this.#options
    const end = firstDueAt + retryWindowMs
    if (rounds === 0) {
      const active = settings.webhooks.filter(({ paused }) => paused === undefined)
      const wasBroken = active.every(({ url }) => seen.failedThroughout(url, firstDueAt))
      if (clock.now() < end || !wasBroken) onViolation(`${id}: expired without having been tried`)
      return
    }
    const lastSpan = Math.min(60_000, retryWindowMs / 10)
    const ranOut = webhooks.some(({ url, outcome, last }) => {
      const asked = last.class === 'http_throttled' ? seen.retryAfterMs(url) : 0
      // Being held begins the window anew, but not for a webhook whose time was over by then.
      const wasOver = last.startedAt < firstDueAt
      const isOver = endOfRound(webhooks, last.round) + asked >= end - lastSpan
      return outcome === 'retry' && (wasOver || isOver)
    })
    if (clock.now() < end && !ranOut) onViolation(`${id}: expired before the end of its window`)
  }
}

/** A round is judged when the slowest of its attempts has ended. */
function endOfRound(webhooks: Delivery['webhooks'], round: number): number {
  const its = webhooks.filter(({ last }) => last.round === round)
  return Math.max(...its.map(({ last }) => last.startedAt + last.durationMs))
}
