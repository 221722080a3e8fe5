import { isJsonObject, LIMITS, type Webhook } from '@hookline/protocol'
import { type Fault, fault, jsonPointer, unknownFields } from '../../util/fault.ts'
import { parseStaticHeaders } from './static-headers.ts'
import { parseWebhookUrl, type UrlReading } from './webhook-url.ts'

const MOST = LIMITS.webhooksPerDestination
// `paused` is shown, so it may be given back; what it is stays as it was.
const FIELDS = ['url', 'headers', 'paused']

/** The webhooks of a destination. `previous` are those it has so far, for the header values they keep. */
export function parseWebhookList(
  given: unknown,
  previous: readonly Webhook[],
  reading: UrlReading,
): readonly Webhook[] {
  const { faults } = reading
  const found = listFault(given)
  if (found !== undefined) faults.push(found)
  if (!Array.isArray(given)) return []
  const webhooks: Webhook[] = []
  const urls = new Set<string>()
  for (const [index, entry] of given.entries()) {
    const webhook = parseWebhook(entry, jsonPointer('webhooks', index), previous, reading)
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

function listFault(given: unknown): Fault | undefined {
  const at = '/webhooks'
  const hint = `Give 1 to ${MOST} webhooks: [{"url": "https://…", "headers": {}}].`
  if (given === undefined) return fault(at, 'required', 'webhooks is missing.', hint)
  if (!Array.isArray(given)) return fault(at, 'wrong_type', 'webhooks must be a list.', hint)
  if (given.length === 0) return fault(at, 'too_few', 'webhooks must not be empty.', hint)
  if (given.length > MOST) return fault(at, 'too_many', 'There are too many webhooks.', hint)
  return undefined
}

function parseWebhook(
  entry: unknown,
  pointer: string,
  previous: readonly Webhook[],
  reading: UrlReading,
): Webhook | undefined {
  const { faults } = reading
  if (!isJsonObject(entry)) {
    const hint = 'Give an object: {"url": "https://…", "headers": {}}.'
    faults.push(fault(pointer, 'wrong_type', 'A webhook must be an object.', hint))
    return undefined
  }
  faults.push(...unknownFields(entry, FIELDS, pointer))
  const url = parseWebhookUrl(entry['url'], `${pointer}/url`, reading)
  const stored = previous.find((webhook) => webhook.url === url)
  const known = stored?.headers ?? {}
  const headers = parseStaticHeaders(entry['headers'], `${pointer}/headers`, known, faults)
  return url === undefined ? undefined : { ...stored, url, headers }
}
