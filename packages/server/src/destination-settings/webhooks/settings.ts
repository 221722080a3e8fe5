import {
  isJsonObject,
  type SuccessPolicy,
  type Webhook,
  type WebhooksSettings,
} from '@hookline/protocol'
import { type Fault, fault, unknownFields } from '../../util/fault.ts'
import { parseSharedSecret } from './shared-secret.ts'
import { parseWebhookList } from './webhook-list.ts'
import { parseWebhookUrl, type UrlContext } from './webhook-url.ts'

/** Valid settings, or all faults of invalid ones. */
export type ParsedSettings =
  { readonly settings: WebhooksSettings } | { readonly faults: readonly Fault[] }

const FIELDS = ['sharedSecret', 'webhooks', 'webhookUrl', 'successPolicy']
const POLICIES: readonly SuccessPolicy[] = ['any', 'each']

/**
 * Validates and normalises the settings of a Webhooks destination (spec 02 §Settings). Pointers of faults are relative
 * to `input`.
 *
 * With `previous`, `input` is a change: a present field replaces the previous one, and an absent field keeps it. A hidden
 * shared secret or header value, as `presentWebhooksSettings` shows it, keeps the stored one. A header value is looked up
 * in the webhook with the same URL.
 *
 * `allowedPorts` are ports that are allowed although they are not for web servers.
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

/** A new secret ends the validity of the previous one at once, unlike a rotation. */
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

/** The webhooks of `webhooks`, of the shorthand `webhookUrl`, or of the previous settings. */
function parseWebhooks(
  { webhooks, webhookUrl }: Readonly<Record<string, unknown>>,
  previous: readonly Webhook[] | undefined,
  context: UrlContext,
): readonly Webhook[] {
  if (webhooks !== undefined && webhookUrl !== undefined) {
    const hint = 'Give webhooks alone; webhookUrl is short for a list of one webhook.'
    context.faults.push(fault('/webhookUrl', 'exclusive', 'webhookUrl excludes webhooks.', hint))
  } else if (webhookUrl !== undefined) {
    const url = parseWebhookUrl(webhookUrl, '/webhookUrl', context)
    return url === undefined ? [] : [{ url, headers: {} }]
  } else if (webhooks === undefined && previous !== undefined) {
    return previous
  }
  return parseWebhookList(webhooks, previous ?? [], context)
}

function parsePolicy(input: unknown, previous: SuccessPolicy, faults: Fault[]): SuccessPolicy {
  if (input === undefined) return previous
  const policy = POLICIES.find((candidate) => candidate === input)
  if (policy === undefined) {
    const hint =
      'With any, a delivery is done when one webhook has accepted it; with each, when all have.'
    const message = 'successPolicy must be any or each.'
    faults.push(fault('/successPolicy', 'not_allowed', message, hint))
  }
  return policy ?? previous
}
