import {
  type Attempt,
  type Delivery,
  type Destination,
  newId,
  type Webhook,
  webhookPayload,
} from '@hookline/protocol'
import type { Clock } from '../../util/clock.ts'
import type { DeliveryTask } from '../lanes/lane.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import { afterRound, dueUrls, type RoundAttempt, type RoundRules } from './round.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import { requestTo, type WebhookRequest } from '../sending/webhook-request.ts'
import type { AttemptResult } from '../sending/outcome.ts'

/** Makes one attempt: `WebhookSender`, or the simulated network of the simulator. */
export interface Sender {
  send(request: WebhookRequest): Promise<AttemptResult>
}

/** A round opened or closed the breaker of a webhook. */
export interface BreakerChange {
  readonly url: string
  readonly change: 'opened' | 'closed'
}

export interface RoundResult {
  readonly delivery: Delivery
  readonly attempts: readonly Attempt[]
  readonly breakerChanges: readonly BreakerChange[]
}

export interface AttemptRoundsOptions {
  readonly clock: Clock
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly health: WebhookHealth
  /** Uniform over [0, 1); by default `Math.random`. */
  readonly random?: () => number
}

/** Makes attempt rounds: tries every due webhook of a delivery in parallel, then decides the state of the delivery. */
export class AttemptRounds {
  readonly #options: AttemptRoundsOptions
  readonly #random: () => number

  constructor(options: AttemptRoundsOptions) {
    this.#options = options
    this.#random = options.random ?? Math.random
  }

  /** Makes one round. A receiver cannot make it reject. */
  async make(task: DeliveryTask, destination: Destination): Promise<RoundResult> {
    const rules = this.#rules(destination)
    const due = new Set(dueUrls(task.delivery, rules))
    const webhooks = destination.settings.webhooks.filter(({ url }) => due.has(url))
    const body = webhookPayload(task.event.event)
    const attempts = await Promise.all(
      webhooks.map((webhook) => this.#attempt(task.delivery, destination, webhook, body)),
    )
    const breakerChanges = attempts.flatMap((attempt) => this.#updateHealth(destination, attempt))
    const delivery = afterRound(task.delivery, attempts, {
      ...rules,
      now: this.#options.clock.now(),
    })
    const kept = attempts.map(({ retryAfterMs: _, ...attempt }) => attempt)
    return { delivery, attempts: kept, breakerChanges }
  }

  async #attempt(
    delivery: Delivery,
    { id: destinationId, settings }: Destination,
    webhook: Webhook,
    body: string,
  ): Promise<RoundAttempt> {
    const { url } = webhook
    this.#options.health.onAttempt(destinationId, url)
    const number = 1 + (delivery.webhooks.find((each) => each.url === url)?.last.number ?? 0)
    const { id: deliveryId, replayId } = delivery
    const carried = { body, deliveryId, attempt: number, replayId }
    const request = requestTo(webhook, settings, carried, this.#options.clock.now())
    const result = await this.#options.sender.send(request)
    const id = newId('att', result.startedAt)
    const round = delivery.rounds + 1
    return { id, round, number, url, ...result, ...(replayId !== undefined && { replayId }) }
  }

  #updateHealth({ id }: Destination, attempt: RoundAttempt): BreakerChange[] {
    const change = this.#options.health.onResult(id, attempt)
    return change ? [{ url: attempt.url, change }] : []
  }

  #rules({ id, settings }: Destination): RoundRules {
    return {
      urls: settings.webhooks.map(({ url }) => url),
      pausedUrls: new Set(settings.webhooks.filter(({ paused }) => paused).map(({ url }) => url)),
      successPolicy: settings.successPolicy,
      schedule: this.#options.schedule,
      blockedUntil: (url) => this.#options.health.blockedUntil(id, url),
      now: this.#options.clock.now(),
      random: this.#random(),
    }
  }
}
