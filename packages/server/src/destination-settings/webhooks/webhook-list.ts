import { isJsonObject, LIMITS, type Webhook } from '@hookline/protocol'
import { type Fault, fault, jsonPointer, unknownFields } from '../../util/fault.ts'
import { parseStaticHeaders } from './static-headers.ts'
import { parseWebhookUrl, type UrlContext } from './webhook-url.ts'

const MOST = LIMITS.webhooksPerDestination
// The API shows `paused`, so clients may send it back. It is ignored here.
const FIELDS = ['url', 'headers', 'paused']

/** Parses the webhooks of a destination. `previous` are its current webhooks, whose hidden header values are kept. */
export function parseWebhookList(
  input: unknown,
  previous: readonly Webhook[],
  context: UrlContext,
): readonly Webhook[] {
  const { faults } = context
  const found = listFault(input)
  if (found !== undefined) faults.push(found)
  if (!Array.isArray(input)) return []
  const webhooks: Webhook[] = []
  const urls = new Set<string>()
  for (const [index, entry] of input.entries()) {
    const webhook = parseWebhook(entry, jsonPointer('webhooks', index), previous, context)
    if (webhook === undefined) continue
    if (urls.has(webhook.url)) {
      const pointer = jsonPointer('webhooks', index, 'url')
      const hint = 'Give each URL once: a second entry would deliver every event twice.'
      faults.push(fault(pointer, 'duplicate_url', 'This URL is in the list already.', hint))
    }
    urls.add(webhook.url)
    webhooks.push(webhook)
  }
  return webhooks
}

function listFault(input: unknown): Fault | undefined {
  const at = '/webhooks'
  const hint = `Give 1 to ${MOST} webhooks: [{"url": "https://…", "headers": {}}].`
  if (input === undefined) return fault(at, 'required', 'webhooks is missing.', hint)
  if (!Array.isArray(input)) return fault(at, 'wrong_type', 'webhooks must be a list.', hint)
  if (input.length === 0) return fault(at, 'too_few', 'webhooks must not be empty.', hint)
  if (input.length > MOST) return fault(at, 'too_many', 'There are too many webhooks.', hint)
  return undefined
}

function parseWebhook(
  entry: unknown,
  pointer: string,
  previous: readonly Webhook[],
  context: UrlContext,
): Webhook | undefined {
  const { faults } = context
  if (!isJsonObject(entry)) {
    const hint = 'Give an object: {"url": "https://…", "headers": {}}.'
    faults.push(fault(pointer, 'wrong_type', 'A webhook must be an object.', hint))
    return undefined
  }
  faults.push(...unknownFields(entry, FIELDS, pointer))
  const url = parseWebhookUrl(entry['url'], `${pointer}/url`, context)
  const stored = previous.find((webhook) => webhook.url === url)
  const known = stored?.headers ?? {}
  const headers = parseStaticHeaders(entry['headers'], `${pointer}/headers`, known, faults)
  return url === undefined ? undefined : { ...stored, url, headers }
}
