import {
  formatTimestamp,
  isJsonObject,
  LIMITS,
  type Pause,
  type SuccessPolicy,
  type Webhook,
  type WebhooksSettings,
} from '@hookline/protocol'
import Type from 'typebox'
import { type Fault, fault, unknownFields } from '../../util/fault.ts'
import * as Schema from '../api/schema.ts'
import { isHidden, parseWebhookList } from './webhook-list.ts'
import { parseWebhookUrl, type UrlContext } from './webhook-urls.ts'

const MAX_SECRET_CHARACTERS = 1024

/** A pause as the API shows it; `null` if there is none. */
export const PauseResponse = Schema.nullable(
  Type.Object(
    {
      since: Schema.time,
      reason: Schema.oneOf(
        ['operator', 'gone', 'forbidden'],
        'gone: the receiver responded with 410 three times in a row, a minute apart. forbidden: its address or port is forbidden by allowedNetworks or allowedPorts; it is tried again after each start of Hookline.',
      ),
    },
    {
      description:
        'null while deliveries are attempted; otherwise since when and why they are held.',
    },
  ),
)

// These schemas are documentation. parseWebhooksSettings does the validation: it knows every rule and
// its remedy.

const url = Type.String({
  maxLength: LIMITS.webhookUrlCharacters,
  description: 'An http or https URL without credentials and fragment.',
})
const POLICIES: SuccessPolicy[] = ['any', 'each']
const successPolicy = Schema.oneOf(
  POLICIES,
  'any: a delivery is delivered when one webhook accepted it. each: when every webhook accepted it.',
)

const WebhookRequest = Type.Object(
  {
    url,
    paused: Type.Optional(
      Type.Unsafe({ description: 'Accepted as it is shown, and ignored: see /pause and /resume.' }),
    ),
    headers: Type.Optional(
      Type.Unsafe({
        type: 'object',
        additionalProperties: true,
        maxProperties: LIMITS.headersPerWebhook,
        description:
          'Static headers: values by name. Headers that Hookline or the connection sets are refused. The value {"set": true}, as it is shown, keeps the stored value.',
      }),
    ),
  },
  Schema.strict,
)

const requestFields = {
  webhooks: Type.Optional(
    Type.Array(WebhookRequest, { minItems: 1, maxItems: LIMITS.webhooksPerDestination }),
  ),
  webhookUrl: Type.Optional(Schema.text('Shorthand for webhooks: one URL without headers.')),
  sharedSecret: Type.Optional(
    Type.Unsafe({
      type: ['string', 'null', 'object'],
      minLength: 1,
      maxLength: MAX_SECRET_CHARACTERS,
      description:
        'The key of the signatures; null for no signatures. The object that responses show keeps the stored secret.',
    }),
  ),
  successPolicy: Type.Optional(successPolicy),
}

/** Settings in a request. */
export const SettingsRequest = Type.Unsafe<unknown>(Type.Object(requestFields, Schema.strict))

/** Settings in a response. */
export const SettingsResponse = Type.Object({
  sharedSecret: Type.Object({
    set: Type.Boolean(),
    last4: Type.Optional(Type.String()),
    previousUntil: Type.Optional(
      Schema.timeOf(
        'Until then, webhook-signature also contains the signature of the previous secret.',
      ),
    ),
  }),
  webhooks: Type.Array(
    Type.Object({
      url,
      headers: Type.Record(Type.String(), Type.Object({ set: Type.Literal(true) })),
      paused: PauseResponse,
    }),
  ),
  successPolicy,
})

/** Settings as the API shows them, with their secrets hidden. `parseWebhooksSettings` accepts the hidden forms. */
export function presentWebhooksSettings(settings: WebhooksSettings) {
  const { sharedSecret, previousSecret, webhooks } = settings
  const previousUntil = previousSecret && formatTimestamp(previousSecret.until)
  return {
    sharedSecret:
      sharedSecret === null
        ? { set: false }
        : { ...hide(sharedSecret), ...(previousUntil && { previousUntil }) },
    successPolicy: settings.successPolicy,
    webhooks: webhooks.map(({ url: shownUrl, headers, paused = null }) => ({
      url: shownUrl,
      headers: hideValues(headers),
      paused: presentPause(paused),
    })),
  }
}

export function presentPause(pause: Pause | null): object | null {
  return pause && { ...pause, since: formatTimestamp(pause.since) }
}

/**
 * Settings in an exported document, which `parseWebhooksSettings` also accepts. Without secrets, even the last characters
 * of the shared secret are left out, because the document is meant to be kept elsewhere.
 */
export function exportWebhooksSettings(settings: WebhooksSettings, withSecrets: boolean): object {
  const { sharedSecret, webhooks } = settings
  return {
    sharedSecret: withSecrets || sharedSecret === null ? sharedSecret : { set: true },
    webhooks: webhooks.map(({ url: shownUrl, headers }) => ({
      url: shownUrl,
      headers: withSecrets ? headers : hideValues(headers),
    })),
    successPolicy: settings.successPolicy,
  }
}

/** Shows the last four characters of a secret, unless that would reveal too much of a short one. */
function hide(secret: string): object {
  return secret.length < 12 ? { set: true } : { set: true, last4: secret.slice(-4) }
}

function hideValues(headers: Webhook['headers']): object {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { set: true }]))
}

/** Valid settings, or all faults of invalid ones. */
type ParsedSettings =
  { readonly settings: WebhooksSettings } | { readonly faults: readonly Fault[] }

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
  const faults = unknownFields(input, Object.keys(requestFields))
  const settings: WebhooksSettings = {
    ...parseSecrets(input['sharedSecret'], previous, faults),
    webhooks: parseWebhooks(input, previous?.webhooks, { allowedPorts, faults }),
    successPolicy: parsePolicy(input['successPolicy'], previous?.successPolicy ?? 'any', faults),
  }
  return faults.length > 0 ? { faults } : { settings }
}

function notSettings(input: unknown): Fault {
  const hint = 'Give an object with at least webhooks: {"webhooks": [{"url": "https://…"}]}.'
  return input === undefined
    ? fault('', 'required', 'The settings are missing.', hint)
    : fault('', 'wrong_type', 'The settings must be an object.', hint)
}

/** The shared secret. A new one ends the validity of the previous one at once, unlike a rotation. */
function parseSecrets(
  input: unknown,
  previous: WebhooksSettings | undefined,
  faults: Fault[],
): Pick<WebhooksSettings, 'sharedSecret' | 'previousSecret'> {
  const kept = previous?.sharedSecret ?? null
  const sharedSecret = parseSharedSecret(input, kept, faults)
  const previousSecret = sharedSecret === kept ? previous?.previousSecret : undefined
  return { sharedSecret, ...(previousSecret && { previousSecret }) }
}

/** The shared secret, or `null` for none. If it is absent, or in its hidden form, the previous one stays. */
function parseSharedSecret(
  input: unknown,
  previous: string | null,
  faults: Fault[],
): string | null {
  if (input === undefined) return previous
  const isHiddenAbsence = isJsonObject(input) && input['set'] === false
  if (input === null || isHiddenAbsence) return null
  if (isHidden(input) && previous !== null) return previous
  if (typeof input !== 'string') {
    const hint = 'Give a text, or null to send requests unsigned.'
    const message = 'sharedSecret must be a text or null.'
    faults.push(fault('/sharedSecret', 'wrong_type', message, hint))
    return null
  }
  faults.push(...sharedSecretFaults(input, '/sharedSecret'))
  return input
}

/** What follows is the key as base64 (Standard Webhooks 1.0.0). */
const BASE64_PREFIX = 'whsec_'

/** What is wrong with a shared secret, which is at `pointer` of the request. */
export function sharedSecretFaults(secret: string, pointer: string): readonly Fault[] {
  if (secret === '') {
    const hint = 'Give null, or leave it out, to send requests unsigned.'
    return [fault(pointer, 'empty', 'sharedSecret must not be empty.', hint)]
  }
  if (secret.length > MAX_SECRET_CHARACTERS) {
    const hint = `Use at most ${MAX_SECRET_CHARACTERS} characters; 32 random ones are plenty.`
    return [fault(pointer, 'too_long', 'sharedSecret is too long.', hint)]
  }
  if (!secret.isWellFormed()) {
    const hint = 'Give whole Unicode characters: half a surrogate pair cannot be written as UTF-8.'
    return [fault(pointer, 'not_unicode', 'sharedSecret is not valid Unicode.', hint)]
  }
  if (secret.startsWith(BASE64_PREFIX) && !isBase64(secret.slice(BASE64_PREFIX.length))) {
    const message = 'sharedSecret begins with whsec_, and has no base64 key.'
    const hint =
      'Give base64 with its padding after whsec_, or a secret that does not begin with whsec_.'
    return [fault(pointer, 'not_base64', message, hint)]
  }
  return []
}

/** Decoders of other languages refuse what Node reads leniently, and an empty key signs nothing. */
function isBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64').toString('base64') === text
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
    const parsed = parseWebhookUrl(webhookUrl, '/webhookUrl', context)
    return parsed === undefined ? [] : [{ url: parsed, headers: {} }]
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
