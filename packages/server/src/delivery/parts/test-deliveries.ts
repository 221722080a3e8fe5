import {
  type Delivery,
  type Destination,
  isMailUrl,
  newId,
  type NextRequest,
  type ShownRequest,
  type TestDelivery,
  type TestedWebhook,
  type Webhook,
  type WebhooksSettings,
} from '@hookline/protocol'
import { textOf } from '../../backend/accepted-event.ts'
import type { Clock } from '../../util/time/clock.ts'
import { inexactFields } from '../transforms/exact-numbers.ts'
import type { Transforms } from '../transforms/transforms.ts'
import { type Content, type WebhookBody, bodyFor } from '../../routing/body.ts'
import {
  withFilledUrl,
  applyTransform,
  dependsOnUrl,
  nextRequest,
  type Sender,
  type UnsentReason,
  unsentResult,
} from './attempts.ts'
import type { AttemptResult } from '../sending/outcome.ts'
import {
  deliveryId,
  requestTo,
  shownRequestHeaders,
  type WebhookRequest,
} from '../sending/webhook-request.ts'

export interface TestDeliveryOptions {
  readonly sender: Sender
  readonly transforms: Pick<Transforms, 'apply'>
  readonly clock: Clock
}

/**
 * Sends a test payload to all webhooks of a destination, even if it is disabled. With `dryRun`, only
 * builds the requests. Not recorded or retried.
 */
export class TestDeliverySender {
  readonly #options: TestDeliveryOptions

  constructor(options: TestDeliveryOptions) {
    this.#options = options
  }

  /** An archived event keeps the `webhook-id` of its delivery; a sample gets a new one. */
  async run(
    { id: destinationId, settings }: Destination,
    content: Content & { readonly id: string | null },
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<TestDelivery> {
    const { sender, transforms, clock } = this.#options
    const now = clock.wall()
    const { id } = content
    const messageId = id === null ? newId('msg', now) : deliveryId(id, destinationId)
    const formattedBody = bodyFor(settings, messageId, content)
    // Real deletion notices have no transform either.
    const isNotice = content.event === undefined
    const bodyOf = transformedBodies(formattedBody, settings, isNotice ? undefined : transforms)
    const webhooks = await Promise.all(
      settings.webhooks.map(async (webhook) => {
        const body = (await bodyOf(webhook)) ?? STOPPING
        const filled = withFilledUrl(body, webhook, settings, content)
        if ('class' in filled) return unsentWebhook(webhook, filled, now)
        const message = { ...filled, deliveryId: messageId, attempt: 1 }
        const request = requestTo(webhook, settings, message, now)
        const result = dryRun ? null : await sender.send(request)
        return testedWebhook(request, result, now)
      }),
    )
    const [stored, formatted] = [textOf(content.body), textOf(formattedBody.body)]
    const isTransformed = settings.transform !== undefined && !isNotice
    const precisionLost = isTransformed ? inexactFields(formatted) : []
    const shown = precisionLost.length > 0 && { precisionLost }
    return { deliveryId: messageId, stored, formatted, ...shown, webhooks }
  }
}

/**
 * A webhook that gets no request: the transform failed or returned nothing, or the URL cannot be
 * filled in.
 */
function unsentWebhook({ url }: Webhook, unsent: UnsentReason, startedAt: number): TestedWebhook {
  const result = { startedAt, durationMs: 0, ...unsentResult(unsent) }
  return { url, request: null, result }
}

const STOPPING: UnsentReason = { class: 'transform_failed', error: 'Hookline is stopping.' }

function testedWebhook(
  request: WebhookRequest,
  result: AttemptResult | null,
  now: number,
): TestedWebhook {
  // These are the bytes that were sent: they depend only on the request and its start time.
  return { url: request.url, request: shownRequest(request, result?.startedAt ?? now), result }
}

function shownRequest(request: WebhookRequest, now: number): ShownRequest {
  const { method = 'POST', url, filledUrl = url, body } = request
  const headers = shownRequestHeaders(request, now)
  return { method, url: filledUrl, headers, body: textOf(body) }
}

/** The requests that the delivery would make now, one per webhook except mail servers, for display; none if nothing would be sent. */
export async function nextRequests(
  delivery: Delivery,
  event: Content,
  { settings }: Destination,
  { now, transforms }: { readonly now: number; readonly transforms: Pick<Transforms, 'apply'> },
): Promise<NextRequest[]> {
  const formattedBody = bodyFor(settings, delivery.id, event)
  const bodyOf = transformedBodies(formattedBody, settings, transforms)
  const requests = settings.webhooks.map(async (webhook): Promise<NextRequest[]> => {
    const body = await bodyOf(webhook)
    const filled = body && withFilledUrl(body, webhook, settings, event)
    if (filled === undefined || 'class' in filled || isMailUrl(webhook.url)) return []
    const request = nextRequest(delivery, filled, webhook, { settings, now })
    const shown = shownRequest(request, now)
    const headers = shownRequestHeaders(request, now, (name) => `<value of ${name}>`)
    return [{ url: webhook.url, request: shown, curl: curlCommand({ ...shown, headers }, webhook) }]
  })
  return (await Promise.all(requests)).flat()
}

/** The transformed body of each webhook, evaluated once if it is the same for all. */
function transformedBodies(
  body: WebhookBody,
  settings: WebhooksSettings,
  transforms: Pick<Transforms, 'apply'> | undefined,
): (webhook: Webhook) => ReturnType<typeof applyTransform> {
  const shared = dependsOnUrl(settings) ? undefined : applyTransform(body, settings, {}, transforms)
  return ({ url }) => shared ?? applyTransform(body, settings, { url }, transforms)
}

/** Characters that a terminal interprets or hides. JSON escapes only some of them. */
const HIDDEN = /[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/u

const CERTIFICATE_OPTIONS = ["--cert '<certificate file>' --key '<key file>'"]

/** An `sh` command that sends the same bytes, and contains no character that a terminal hides. */
function curlCommand(
  { method, url, headers, body }: ShownRequest,
  { auth }: Pick<Webhook, 'auth'>,
): string {
  // The empty `Accept:` and `Expect:` keep curl from adding these headers. With `Expect`, it would wait before sending
  // the body.
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const options = ['Accept:', 'Expect:', ...lines].map((line) => `--header ${quoteText(line)}`)
  const isVisible = !HIDDEN.test(body)
  const data = isVisible ? `--data-raw ${quoteText(body)}` : '--data-binary @-'
  const curl = [
    // A URL may contain brackets, which curl would interpret as ranges.
    `curl --include --http1.1 --globoff --request ${method} ${quoteText(url)}`,
    ...(auth !== undefined && 'clientCertificate' in auth ? CERTIFICATE_OPTIONS : []),
    ...options,
    data,
  ].join(' \\\n  ')
  return isVisible ? curl : `printf '${octal(body)}' | ${curl}`
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The text as a `printf` format, in printable ASCII without quotes. */
function octal(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte)
    const isPlain = byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(character)
    return isPlain ? character : `\\${byte.toString(8).padStart(3, '0')}`
  }).join('')
}
