import { laneKey } from '../../backend/deliveries.ts'
import type { Attempt, AttemptClass } from '@hookline/protocol'
import { LRUCache } from 'lru-cache'
import type { FollowedCatalog } from '../../backend/catalog.ts'
import type { ActivityListener } from '../../telemetry/activity-listener.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { fieldsOf } from '../../telemetry/names.ts'
import { type Clock, toWallClock } from '../../util/time/clock.ts'
import { sleep } from '../../util/time/sleep.ts'
import type { Worker } from '../../util/workers/worker.ts'
import { loggedError } from '../sending/outcome.ts'
import type { WebhookHealth } from './webhook-health.ts'

export interface WebhookLogOptions {
  readonly catalog: Pick<FollowedCatalog, 'current'>
  readonly health: Pick<WebhookHealth, 'blockedUntil' | 'brokenSince'>
  readonly activity: Pick<ActivityListener, 'updated'>
  readonly clock: Clock
  readonly logger: Logger
}

const MINUTE_MS = 60_000
/** The maximum number of webhooks with their own line in the summary of a minute. */
const MAX_SUMMARISED = 20
/** Far more webhooks than fail at once. Beyond this, the least recently used ones are evicted. */
const MAX_WEBHOOKS = 10_000

/**
 * Logs the state of webhooks, not each attempt: when one begins to fail, when its breaker opens or closes, when it has
 * recovered, and a summary of failing ones each minute.
 *
 *     working ─ an attempt fails ─▶ failing ─ a minute with deliveries and no failure ─▶ working
 */
export class WebhookLog implements Worker {
  readonly name = 'webhooks.log'
  readonly #options: WebhookLogOptions
  readonly #failing = new LRUCache<string, FailingWebhook>({ max: MAX_WEBHOOKS })

  constructor(options: WebhookLogOptions) {
    this.#options = options
  }

  /** `breaker`: how this attempt changed the webhook's breaker. */
  onAttempt(destinationId: string, attempt: EndedAttempt, breaker?: 'opened' | 'closed'): void {
    if (breaker !== undefined)
      this.#options.activity.updated({ resource: 'destinations', id: destinationId })
    const isDelivered = attempt.outcome === 'delivered'
    if (isDelivered && this.#failing.size === 0) return
    const key = laneKey({ destinationId, url: attempt.url })
    let failing = this.#failing.get(key)
    if (failing === undefined) {
      if (isDelivered) return
      failing = new FailingWebhook(destinationId, attempt, this.#options.clock)
      this.#failing.set(key, failing)
      const fields = { ...this.#namesOf(failing), ...failing.lastError() }
      this.#options.logger.warn(fields, 'webhook.failing')
    }
    failing.count(attempt)
    if (breaker !== undefined) this.#onBreaker(failing, breaker)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#options.clock, MINUTE_MS, signal)
      if (!signal.aborted) this.#summarise()
    }
  }

  /** At most one pair of lines per minute for a breaker that opens and closes continually. */
  #onBreaker(failing: FailingWebhook, change: 'opened' | 'closed'): void {
    const { logger } = this.#options
    const names = this.#namesOf(failing)
    if (change === 'closed') {
      if (failing.isOpenInLog) logger.info(names, 'webhook.breaker_closed')
      failing.isOpenInLog = false
    } else if (!failing.hasOpenedLine) {
      failing.hasOpenedLine = true
      failing.isOpenInLog = true
      logger.warn({ ...names, ...this.#nextAttempt(failing) }, 'webhook.breaker_opened')
    }
  }

  #summarise(): void {
    const { logger } = this.#options
    const failed: FailingWebhook[] = []
    // A copy, because the cache's iterator may restart when an entry is deleted.
    const entries = [...this.#failing]
    for (const [key, failing] of entries) {
      if (!this.#isInUse(failing)) {
        this.#failing.delete(key)
        continue
      }
      this.#correctBreaker(failing)
      if (failing.failed > 0) failed.push(failing)
      else if (failing.attempts > 0 && !failing.isOpenInLog) this.#onRecovered(key, failing)
    }
    failed.sort((a, b) => b.failed - a.failed)
    for (const each of failed.slice(0, MAX_SUMMARISED)) {
      const fields = { ...this.#namesOf(each), ...each.summary(), ...this.#nextAttempt(each) }
      logger.warn(fields, 'webhook.still_failing')
    }
    const others = failed.slice(MAX_SUMMARISED)
    if (others.length > 0) logger.warn(sumOf(others), 'webhook.others_failing')
    for (const each of this.#failing.values()) each.reset()
  }

  /** Logs a missed change at the end of a minute: the breaker opened again, or was closed manually or by another node. */
  #correctBreaker(failing: FailingWebhook): void {
    failing.hasOpenedLine = false
    const isOpen = this.#isOpen(failing)
    if (isOpen !== failing.isOpenInLog) this.#onBreaker(failing, isOpen ? 'opened' : 'closed')
  }

  /** A webhook that is paused, disabled or removed is not failing. */
  #isInUse({ destinationId, url }: FailingWebhook): boolean {
    const destination = this.#options.catalog.current.destinations.get(destinationId)
    if (destination === undefined || !destination.enabled || destination.paused) return false
    return destination.settings.webhooks.some((each) => each.url === url && !each.paused)
  }

  #onRecovered(key: string, failing: FailingWebhook): void {
    const { clock, logger } = this.#options
    this.#failing.delete(key)
    const failingForMs = failing.failingForMs(clock.now())
    logger.info({ ...this.#namesOf(failing), failingForMs }, 'webhook.recovered')
  }

  #isOpen({ destinationId, url }: FailingWebhook): boolean {
    return this.#options.health.brokenSince(destinationId, url) !== undefined
  }

  #nextAttempt(failing: FailingWebhook): object {
    const { destinationId, url } = failing
    const { health, clock } = this.#options
    const breaker = this.#isOpen(failing) ? 'open' : 'closed'
    const until = health.blockedUntil(destinationId, url)
    if (until <= clock.now()) return { breaker }
    return { breaker, nextAttemptAt: new Date(toWallClock(until, clock)).toISOString() }
  }

  #namesOf({ destinationId, url }: FailingWebhook): object {
    return fieldsOf(destinationId, url, this.#options.catalog.current)
  }
}

function sumOf(failing: readonly FailingWebhook[]): object {
  return {
    webhooks: failing.length,
    attempts: failing.reduce((sum, each) => sum + each.attempts, 0),
    failed: failing.reduce((sum, each) => sum + each.failed, 0),
  }
}

type EndedAttempt = Pick<Attempt, 'url' | 'outcome' | 'class' | 'status' | 'error'>

/** A failing webhook, with its counts for the current minute. */
class FailingWebhook {
  readonly destinationId: string
  readonly url: string
  /** Whether this minute has a line for the open breaker. */
  hasOpenedLine = false
  /** Whether the breaker is open according to the log. */
  isOpenInLog = false
  attempts = 0
  failed = 0
  readonly #begunAt: number
  readonly #begunAtWall: number
  #classes: Partial<Record<AttemptClass, number>> = {}
  #last: EndedAttempt

  constructor(destinationId: string, attempt: EndedAttempt, clock: Clock) {
    this.destinationId = destinationId
    this.url = attempt.url
    this.#begunAt = clock.now()
    this.#begunAtWall = clock.wall()
    this.#last = attempt
  }

  count(attempt: EndedAttempt): void {
    this.attempts++
    if (attempt.outcome === 'delivered') return
    this.failed++
    this.#classes[attempt.class] = (this.#classes[attempt.class] ?? 0) + 1
    this.#last = attempt
  }

  summary(): object {
    return {
      attempts: this.attempts,
      failed: this.failed,
      classes: this.#classes,
      ...this.lastError(),
      since: new Date(this.#begunAtWall).toISOString(),
    }
  }

  lastError(): object {
    const { class: kind, status } = this.#last
    return { class: kind, status, error: loggedError(this.#last) }
  }

  failingForMs(now: number): number {
    return now - this.#begunAt
  }

  reset(): void {
    this.attempts = 0
    this.failed = 0
    this.#classes = {}
  }
}
