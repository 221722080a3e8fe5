import {
  type Attempt,
  type Delivery,
  type Destination,
  newId,
  type SuccessPolicy,
  type Webhook,
  type WebhooksSettings,
} from '@hookline/protocol'
import { type Content, type WebhookBody, bodyFor, payloadFor } from '../../routing/body.ts'
import { filledUrl, hasTemplate } from '../../routing/url-template.ts'
import type { ApplyOptions, Transforms } from '../transforms/transforms.ts'
import type { AttemptSpan, Tracing } from '../../telemetry/tracing.ts'
import type { Clock } from '../../util/time/clock.ts'
import type { HistoryBudget } from '../records/history-budget.ts'
import type { WebhookHealth } from '../health/webhook-health.ts'
import type { OpenDelivery } from '../lanes/open-delivery.ts'
import { AttemptAbortedError } from '../network/network-errors.ts'
import { afterAttempt, partOf, type RetrySchedule, scheduleFor } from './parts.ts'
import { requestTo, type WebhookRequest } from '../sending/webhook-request.ts'
import { type AttemptResult, classification, classifyFault } from '../sending/outcome.ts'
import type { SendOptions } from '../sending/sender.ts'

/** Sends one request: `WebhookSender`, or the simulated network of the simulator. */
export interface Sender {
  /** @throws {AttemptAbortedError} if the service stopped before a response arrived, or `onBegin` returned false */
  send(request: WebhookRequest, options?: SendOptions): Promise<AttemptResult>
}

export interface CompletedAttempt {
  readonly before: Delivery
  readonly after: Delivery
  readonly attempt: Attempt
  /** When it began, on the monotonic clock. */
  readonly begunAt: number
  readonly breaker: 'opened' | 'closed' | undefined
  /**
   * False if no connection to the receiver was attempted: the body, the URL or the access token
   * could not be obtained. Such an attempt affects neither the lane's limit nor pauses.
   */
  readonly isSent: boolean
  /** Whether the response disables the webhook. */
  readonly isDisabled: boolean
  readonly fault?: unknown
}

export interface AttemptsOptions {
  readonly clock: Clock
  readonly sender: Sender
  readonly schedule: RetrySchedule
  readonly health: WebhookHealth
  readonly successPolicy?: SuccessPolicy | undefined
  /** Absent for deletion notices: transforms are written for events. */
  readonly transforms?: Pick<Transforms, 'apply'> | undefined
  readonly tracing?: Tracing | undefined
  /** Absent for deletion notices: they keep the responses to all failed attempts, and to no others. */
  readonly history?: HistoryBudget | undefined
}

type EndedAttemptResult = AttemptResult & { readonly fault?: unknown }

interface Preparation {
  /** `undefined` if the service is stopping, or nothing needs the result. */
  readonly prepare: () => Promise<BodyWithUrl | UnsentReason | undefined>
  readonly mayBegin: () => boolean
}

/** The transformed body of a delivery, for one version of its destination. */
interface TransformedBody {
  readonly version: number
  readonly result: ReturnType<typeof applyTransform>
}

/** A larger body is rebuilt for each attempt: a lane has hundreds of deliveries in memory. */
const MAX_KEPT_BYTES = 64 * 1024

/** Makes attempts: sends one delivery to one webhook, and decides the state of its part from the response. */
export class Attempts {
  readonly #options: AttemptsOptions
  readonly #transformed = new WeakMap<OpenDelivery, TransformedBody>()

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /**
   * Starts the transform of a delivery in a lane, so that evaluations are batched and take up no slots. The webhooks of
   * a destination share the result, unless the transform contains `$url`.
   */
  prepare(open: OpenDelivery, destination: Destination | undefined): void {
    if (destination?.settings.transform === undefined || this.#options.transforms === undefined)
      return
    if (!dependsOnUrl(destination.settings))
      void this.#sharedBody(open, destination).catch(() => undefined)
  }

  /**
   * Makes one attempt and updates the delivery. A bug rejects this part. Returns `undefined`,
   * without a change, if it was aborted, or if the webhook is blocked or `mayBegin` returns false
   * once the body is prepared or the access token has arrived.
   */
  make(
    open: OpenDelivery,
    destination: Destination,
    webhook: Webhook,
    mayBegin: () => boolean,
  ): Promise<CompletedAttempt | undefined> {
    const { settings } = destination
    const body = (): WebhookBody => bodyFor(settings, open.delivery.id, open.event)
    const isTransformed = settings.transform !== undefined && this.#options.transforms !== undefined
    if (!isTransformed && !hasTemplate(webhook.url))
      return this.#send(open, destination, webhook, { body, mayBegin })
    const prepare = async () => {
      const content = isTransformed ? await this.#transform(open, destination, webhook) : body()
      return content && withFilledUrl(content, webhook, settings, open.event)
    }
    return this.#prepareAndSend(open, destination, webhook, { prepare, mayBegin })
  }

  #transform(
    open: OpenDelivery,
    destination: Destination,
    webhook: Webhook,
  ): ReturnType<typeof applyTransform> {
    const { settings } = destination
    if (!dependsOnUrl(settings)) return this.#sharedBody(open, destination)
    const body = bodyFor(settings, open.delivery.id, open.event)
    return applyTransform(body, settings, { url: webhook.url }, this.#options.transforms)
  }

  /** The transformed body for all webhooks, cached with the delivery unless it is large. */
  async #sharedBody(
    open: OpenDelivery,
    { settings, version }: Destination,
  ): ReturnType<typeof applyTransform> {
    const known = this.#transformed.get(open)
    if (known?.version === version) return known.result
    const body = bodyFor(settings, open.delivery.id, open.event)
    // Not needed once the delivery is parked: otherwise, slow evaluations would pile up without
    // limit.
    const isWanted = (): boolean => open.inLanes.length > 0
    const result = applyTransform(body, settings, { isWanted }, this.#options.transforms)
    this.#transformed.set(open, { version, result })
    const content = await result
    const isKept =
      content !== undefined && !('body' in content && content.body.length > MAX_KEPT_BYTES)
    if (!isKept) this.#transformed.delete(open)
    return content
  }

  async #prepareAndSend(
    open: OpenDelivery,
    destination: Destination,
    webhook: Webhook,
    { prepare, mayBegin }: Preparation,
  ): Promise<CompletedAttempt | undefined> {
    const { clock, health } = this.#options
    const { settings } = destination
    const [begunAt, startedAt] = [clock.now(), clock.wall()]
    const result = await prepare()
    const isBlocked = health.blockedUntil(destination.id, webhook.url) > clock.now()
    if (result === undefined || isBlocked || !mayBegin()) return undefined
    if ('class' in result) {
      const durationMs = clock.now() - begunAt
      const ended = { startedAt, durationMs, ...unsentResult(result) }
      return {
        ...this.#complete(open, settings, { webhook, now: clock.now() }, ended),
        begunAt,
        isSent: false,
      }
    }
    return this.#send(open, destination, webhook, { body: () => result, mayBegin })
  }

  async #send(
    open: OpenDelivery,
    destination: Destination,
    webhook: Webhook,
    { body, mayBegin }: { readonly body: () => BodyWithUrl; readonly mayBegin: () => boolean },
  ): Promise<CompletedAttempt | undefined> {
    const { clock, health, sender } = this.#options
    const { url, auth } = webhook
    const { id: destinationId, settings } = destination
    const startedAt = clock.wall()
    let begunAt = clock.now()
    let generation = health.generationOf(destinationId, url)
    let hasBegun = false
    const begin = (): void => {
      begunAt = clock.now()
      generation = health.onAttempt(destinationId, url)
      hasBegun = true
    }
    // An attempt that waits for a token has not begun, unless it is a breaker's probe: no second probe may start until it has a
    // result.
    const isWaiting = auth !== undefined && 'oauth2' in auth
    if (!isWaiting || health.brokenSince(destinationId, url) !== undefined) begin()
    const onBegin = (): boolean => {
      // A probe must not be blocked by its own breaker when it is repeated.
      if (hasBegun) return mayBegin()
      if (health.blockedUntil(destinationId, url) > clock.now() || !mayBegin()) return false
      begin()
      return true
    }
    let ended: EndedAttemptResult
    let span: AttemptSpan | undefined
    try {
      const at = { settings, now: startedAt }
      const request = nextRequest(open.delivery, body(), webhook, at)
      span = this.#beginSpan(open, request)
      ended = await sender.send(
        span === undefined ? request : { ...request, trace: span.headers },
        {
          includeSuccessResponse: this.#keepsSuccess(destinationId, url),
          ...(isWaiting && { onBegin }),
          onWritten: () => health.onWritten(destinationId, url, begunAt),
        },
      )
    } catch (fault) {
      if (fault instanceof AttemptAbortedError) {
        if (hasBegun) {
          span?.end()
          health.onAborted(destinationId, url, generation)
        }
        return undefined
      }
      ended = { startedAt, durationMs: clock.now() - begunAt, ...crashedBy(fault) }
    }
    span?.end(ended)
    // The same time for the webhook and the part, so that a part that waits for `Retry-After` is
    // due when the pause ends.
    const now = clock.now()
    const breaker = health.onResult(destinationId, { ...ended, url }, { generation, now })
    return {
      ...this.#complete(open, settings, { webhook, now }, ended),
      begunAt,
      breaker,
      isSent: ended.class !== 'auth_failed',
    }
  }

  #keepsSuccess(destinationId: string, url: string): boolean {
    return this.#options.history?.keepsSuccess(destinationId, url) ?? false
  }

  #beginSpan(
    open: OpenDelivery,
    { method = 'POST', url, attempt }: WebhookRequest,
  ): AttemptSpan | undefined {
    const { tracing, clock } = this.#options
    if (tracing === undefined) return undefined
    const waitedMs = open.freshSince === undefined ? 0 : clock.now() - open.freshSince
    open.span ??= tracing.beginDelivery(open.delivery, open.event, waitedMs)
    return open.span?.beginAttempt({ method, url, number: attempt })
  }

  /** Adds an attempt to the delivery. */
  #complete(
    open: OpenDelivery,
    settings: WebhooksSettings,
    { webhook, now }: { readonly webhook: Webhook; readonly now: number },
    { fault, retryAfterMs, instruction, ...result }: EndedAttemptResult,
  ): Omit<CompletedAttempt, 'begunAt' | 'isSent'> {
    const { url, limits } = webhook
    const { replayId } = open.delivery
    const id = newId('att', result.startedAt)
    const number = nextNumber(open.delivery, url)
    const attempt: Attempt = { id, number, url, ...result }
    const withReplayId = replayId === undefined ? attempt : { ...attempt, replayId }
    const partAttempt =
      retryAfterMs === undefined ? withReplayId : { ...withReplayId, retryAfterMs }
    // Read and changed in one step: other parts of the delivery may end at any time.
    const before = open.delivery
    open.delivery = afterAttempt(before, partAttempt, {
      successPolicy: this.#options.successPolicy ?? settings.successPolicy,
      schedule: scheduleFor(this.#options.schedule, limits),
      now,
      random: Math.random(),
    })
    const isDisabled = instruction === 'disable'
    return {
      before,
      after: open.delivery,
      attempt: this.#options.history?.within(before.destinationId, withReplayId) ?? withReplayId,
      breaker: undefined,
      isDisabled,
      fault,
    }
  }
}

function crashedBy(fault: unknown) {
  // Without the error's message, which may contain secrets.
  const kind = fault instanceof Error ? fault.name : typeof fault
  const error = `A bug in Hookline stopped the attempt (${kind}). See the log for details.`
  return { ...classifyFault(), error, fault }
}

/** Why no request is made. */
export interface UnsentReason {
  readonly class: 'transform_failed' | 'transform_declined' | 'request_invalid'
  readonly error?: string
}

/** The content of a request to one webhook. */
interface BodyWithUrl extends WebhookBody {
  /** Absent if the URL has no placeholders. */
  readonly filledUrl?: string
}

/** The result of an attempt without a request. */
export function unsentResult(unsent: UnsentReason) {
  return { ...unsent, ...classification(unsent.class), timing: {} }
}

/** Whether the body depends on the webhook. */
export function dependsOnUrl({ transform }: Pick<WebhooksSettings, 'transform'>): boolean {
  return transform?.includes('$url') === true
}

/** Applies the transform, if any. `undefined` if the service is stopping, or nothing needs the result. */
export async function applyTransform(
  body: WebhookBody,
  { transform }: Pick<WebhooksSettings, 'transform'>,
  options: ApplyOptions,
  transforms: Pick<Transforms, 'apply'> | undefined,
): Promise<WebhookBody | UnsentReason | undefined> {
  if (transform === undefined || transforms === undefined) return body
  const result = await transforms.apply(transform, body.body, options)
  if (result === undefined) return undefined
  if ('error' in result) return { class: 'transform_failed', error: result.error }
  if (result.json === undefined) return { class: 'transform_declined' }
  return { body: Buffer.from(result.json) }
}

/** Fills in the webhook's URL from the payload after the field rules, so that they also apply to the URL. */
export function withFilledUrl(
  sent: WebhookBody | UnsentReason,
  { url }: Pick<Webhook, 'url'>,
  settings: WebhooksSettings,
  content: Content,
): BodyWithUrl | UnsentReason {
  if ('class' in sent || !hasTemplate(url)) return sent
  const filled = filledUrl(url, payloadFor(settings, content))
  if ('error' in filled) return { class: 'request_invalid', error: filled.error }
  return { ...sent, filledUrl: filled.url }
}

export function nextRequest(
  delivery: Delivery,
  body: BodyWithUrl,
  webhook: Webhook,
  { settings, now }: { readonly settings: Destination['settings']; readonly now: number },
): WebhookRequest {
  const { id: deliveryId, replayId } = delivery
  const attempt = nextNumber(delivery, webhook.url)
  return requestTo(webhook, settings, { ...body, deliveryId, attempt, replayId }, now)
}

/** A manual retry of a finished part starts again at 1. */
function nextNumber(delivery: Delivery, url: string): number {
  const part = partOf(delivery, url)
  const isOpen = part?.state === 'pending' || part?.state === 'held'
  return isOpen ? 1 + (part.lastAttempt?.number ?? 0) : 1
}
