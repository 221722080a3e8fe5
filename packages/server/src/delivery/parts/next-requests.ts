import {
  type Carried,
  type Delivery,
  type Destination,
  type NextRequest,
  type Webhook,
} from '@hookline/protocol'
import { textOf } from '../../backend/accepted-event.ts'
import { requestTo, shownRequestHeaders, type WebhookRequest } from '../sending/webhook-request.ts'
import { partOf } from './parts.ts'

/** The number of the next attempt of a delivery on a webhook. */
export function nextNumber(delivery: Delivery, url: string): number {
  return 1 + (partOf(delivery, url)?.last?.number ?? 0)
}

/** The request of the next attempt of a delivery on a webhook. */
export function nextRequest(
  delivery: Delivery,
  { body }: Pick<Carried, 'body'>,
  webhook: Webhook,
  { settings, now }: { readonly settings: Destination['settings']; readonly now: number },
): WebhookRequest {
  const { id: deliveryId, replayId } = delivery
  const attempt = nextNumber(delivery, webhook.url)
  const carried = { body, deliveryId, attempt, replayId }
  return requestTo(webhook, settings, carried, now)
}

/** The requests that the delivery would make now, one to each webhook of its destination, as people see them. */
export function nextRequests(
  delivery: Delivery,
  event: Pick<Carried, 'body'>,
  { settings }: Destination,
  now: number,
): NextRequest[] {
  return settings.webhooks.map((webhook) => {
    const request = nextRequest(delivery, event, webhook, { settings, now })
    const { url } = request
    const body = textOf(request.body)
    const headers = shownRequestHeaders(request, now)
    const toFillIn = shownRequestHeaders(request, now, (name) => `<value of ${name}>`)
    return { url, headers, body, curl: curlCommand(url, body, toFillIn) }
  })
}

/** Characters that a terminal would act on, or would not show. JSON escapes only some of them. */
const HIDDEN = /[^\x20-\x7e\p{L}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/u

/**
 * A command for `sh` that sends a request to a webhook with `headers`: the same bytes, whatever they contain. It has no
 * line break outside of its own form, and no character that a terminal hides, so that it can be pasted.
 */
function curlCommand(url: string, body: string, headers: Readonly<Record<string, string>>): string {
  // Without these two, curl would add the headers. Expect would make it wait before it sends the body.
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const options = ['Accept:', 'Expect:', ...lines].map((line) => `--header ${quoted(line)}`)
  const isVisible = !HIDDEN.test(body)
  const data = isVisible ? `--data-raw ${quoted(body)}` : '--data-binary @-'
  const curl = [
    // A URL may contain brackets, which curl would take for ranges.
    `curl --include --http1.1 --globoff --request POST ${quoted(url)}`,
    ...options,
    data,
  ].join(' \\\n  ')
  return isVisible ? curl : `printf '${octal(body)}' | ${curl}`
}

/** One word of a shell command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The text as the format of `printf`, in printable ASCII without quotes. */
function octal(text: string): string {
  return Array.from(Buffer.from(text), (byte) => {
    const character = String.fromCharCode(byte)
    const isPlain = byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(character)
    return isPlain ? character : `\\${byte.toString(8).padStart(3, '0')}`
  }).join('')
}
