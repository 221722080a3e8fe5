import {
  isJsonObject,
  type SuccessPolicy,
  type Webhook,
  type WebhooksSettings,
} from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../util/fault.ts'
import { parseSharedSecret } from './shared-secret.ts'
import { parseWebhookList } from './webhook-list.ts'
import { parseWebhookUrl, type UrlReading } from './webhook-url.ts'

/** Settings that keep every rule, or all that is wrong with them. */
export type ParsedSettings =
  { readonly settings: WebhooksSettings } | { readonly faults: readonly Fault[] }

const FIELDS = ['sharedSecret', 'webhooks', 'webhookUrl', 'successPolicy']
const POLICIES: readonly SuccessPolicy[] = ['any', 'each']

/**
 * Checks the settings of a Webhooks destination against every rule they have (spec 02 §Settings) and
 * normalises them. Pointers lead into `input`.
 *
 * With `previous` it is a change: a field that is given replaces the previous one, an absent one stays.
 * What `presentWebhooksSettings` hid may be given back as it was shown, and means what is stored: the
 * shared secret, and the value of a header that the webhook of the same URL has.
 *
 * `allowedPorts`: those that are not for web servers, and yet allowed.
 */
export function parseWebhooksSettings(
  input: unknown,
  previous?: WebhooksSettings,
  allowedPorts: ReadonlySet<number> = new Set(),
): ParsedSettings {
  if (input === undefined && previous !== undefined) return { settings: previous }
  if (!isJsonObject(input)) return { faults: [notSettings(input)] }
  const faults = unknownFields(input, FIELDS)
  const sharedSecret = parseSharedSecret(
    input['sharedSecret'],
    previous?.sharedSecret ?? null,
    faults,
  )
  const settings: WebhooksSettings = {
    sharedSecret,
    ...previousSecretIn(sharedSecret, previous),
    webhooks: parseWebhooks(input, previous?.webhooks, { allowedPorts, faults }),
    successPolicy: parsePolicy(input['successPolicy'], previous?.successPolicy ?? 'any', faults),
  }
  return faults.length > 0 ? { faults } : { settings }
}

/** Who replaces the secret here wants the old one to end at once. */
function previousSecretIn(
  sharedSecret: string | null,
  previous: WebhooksSettings | undefined,
): Pick<WebhooksSettings, 'previousSecret'> {
  const { previousSecret } = previous ?? {}
  return previousSecret && sharedSecret === previous?.sharedSecret ? { previousSecret } : {}
}

function notSettings(input: unknown): Fault {
  const hint = 'Give an object with at least webhooks: {"webhooks": [{"url": "https://…"}]}.'
  return input === undefined
    ? fault('', 'required', 'The settings are missing.', hint)
    : fault('', 'wrong_type', 'The settings must be an object.', hint)
}

/** The list, or what stands for it: the shorthand, or what was there before. */
function parseWebhooks(
  { webhooks, webhookUrl }: Readonly<Record<string, unknown>>,
  previous: readonly Webhook[] | undefined,
  reading: UrlReading,
): readonly Webhook[] {
  if (webhooks !== undefined && webhookUrl !== undefined) {
    const hint = 'Give webhooks alone; webhookUrl is short for a list of one webhook.'
    reading.faults.push(fault('/webhookUrl', 'exclusive', 'webhookUrl excludes webhooks.', hint))
  } else if (webhookUrl !== undefined) {
    const url = parseWebhookUrl(webhookUrl, '/webhookUrl', reading)
    return url === undefined ? [] : [{ url, headers: {} }]
  } else if (webhooks === undefined && previous !== undefined) {
    return previous
  }
  return parseWebhookList(webhooks, previous ?? [], reading)
}

function parsePolicy(given: unknown, previous: SuccessPolicy, faults: Fault[]): SuccessPolicy {
  if (given === undefined) return previous
  const policy = POLICIES.find((candidate) => candidate === given)
  if (policy === undefined) {
    const hint =
      'With any, a delivery is done when one webhook took it; with each, when every one did.'
    const message = 'successPolicy must be any or each.'
    faults.push(fault('/successPolicy', 'not_allowed', message, hint))
  }
  return policy ?? previous
}
