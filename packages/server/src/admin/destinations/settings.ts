import {
  formatTimestamp,
  FORMATS,
  isJsonObject,
  LIMITS,
  type Pause,
  PAUSE_REASONS,
  SUCCESS_POLICIES,
  type Webhook,
  WEBHOOK_METHODS,
  type WebhooksSettings,
} from '@hookline/protocol'
import Type from 'typebox'
import { type FieldError, fieldError, typeError, unknownFields } from '../../util/field-error.ts'
import * as Schema from '../api/schema.ts'
import { exportRouting, parserOf, parseRouting, presentRouting } from './routing-settings.ts'
import {
  exportSecret,
  parseSecret,
  presentSecret,
  secretSchema,
  SecretResponse,
} from './secrets.ts'
import {
  exportSignature,
  parseSignature,
  presentSignature,
  signatureRequest,
  signatureResponse,
} from './signing-keys.ts'
import { AuthRequest, AuthResponse, hideSecretsOf, presentAuth } from './webhook-auth.ts'
import { LimitsResponse, presentLimits } from './webhook-limits.ts'
import { parseWebhookList, type WebhookContext } from './webhook-list.ts'
import { parseWebhookUrl } from './webhook-urls.ts'

export const PauseResponse = Schema.nullable(
  Type.Object(
    {
      since: Schema.time,
      reason: Schema.oneOf(
        PAUSE_REASONS,
        "webhook_gone: the receiver responded with 410 three times in a row, at least a minute apart. url_forbidden: allowedNetworks or allowedPorts does not allow the webhook's address or port; the webhook is tried again each time Hookline starts. disabled_by_receiver: a response had the header webhook-delivery: disable.",
      ),
    },
    { description: 'When and why the pause began; null if deliveries are not held.' },
  ),
)

// These schemas are documentation. parseWebhooksSettings validates.

const url = Type.String({
  maxLength: LIMITS.webhookUrlCharacters,
  description:
    'An http or https URL without credentials or a fragment. Its path and query may contain {{userId}}, {{event}}, {{type}} and properties, such as {{properties.plan}}. Or the URL of a mail server with recipients: smtps://mail.example.com/?to=ops@example.com: the email has the subject and text that the transform returns.',
})
const successPolicy = Schema.oneOf(
  SUCCESS_POLICIES,
  'any: a delivery succeeds when one webhook has accepted it. each: when every webhook has accepted it.',
)

/** An object, or `null` to remove it. `parseRouting` validates it. */
const removable = (description: string) =>
  Type.Optional(Type.Unsafe<object | null>({ type: ['object', 'null'], description }))

const routingFields = {
  filter: removable(
    'Which events the destination receives: {"event": "Order *"}, {"type": "identify"} or {"where": [{"property": "revenue", "op": ">=", "value": 100}]}, combined with and, or and not. null or absent: all events.',
  ),
  sample: removable(
    'The share of the selected events that the destination receives, from 0 to 1: {"rate": 0.1, "by": "userId"}. null or absent: all of them.',
  ),
  fields: removable(
    'Which fields of the payload the destination receives: {"drop": ["context.ip"]} or {"keep": ["properties.revenue"]}, and {"hash": [{"path": "traits.email", "normalize": "email"}]}. salt, the key of the hashes, is a secret: random if absent, and {"set": true} keeps the stored one. If fields is null or absent, the destination receives all fields.',
  ),
  format: Type.Optional(
    Type.Unsafe({
      type: ['string', 'null'],
      enum: [...FORMATS, null],
      description:
        'hookline: the payload. full: the whole event, with receivedAt, sentAt, integrations and unknown fields. standard and cloudevents: Standard Webhooks or CloudEvents 1.0, with the payload in data. null or absent: hookline.',
    }),
  ),
  transform: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: LIMITS.transformCharacters,
      description:
        'A JSONata expression that builds the body of each request from the payload: {"text": "…"}. If it returns nothing, nothing is sent. null or absent: the payload itself.',
    }),
  ),
  method: Type.Optional(
    Type.Unsafe({
      type: ['string', 'null'],
      enum: [...WEBHOOK_METHODS, null],
      description: 'The HTTP method of requests. null or absent: POST.',
    }),
  ),
}

const WebhookRequest = Schema.strictObject({
  url,
  paused: Type.Optional(
    Type.Unsafe({
      description:
        'Ignored: see /pause and /resume. Only PUT /import can set it, for example to {"reason": "webhook_gone"}.',
    }),
  ),
  headers: Type.Optional(
    Type.Unsafe({
      ...Schema.anyObject,
      maxProperties: LIMITS.headersPerWebhook,
      description:
        'Static headers: values by name. Headers that are set by Hookline or by the connection are rejected. The value {"set": true} keeps the stored value.',
    }),
  ),
  auth: AuthRequest,
  limits: Type.Optional(
    Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description:
        'Limits of this webhook, such as {"perSecond": 20, "timeout": "20s"}, instead of the service\'s settings. null or absent: none.',
    }),
  ),
  secret: Type.Optional(
    Type.Unsafe({
      ...secretSchema,
      description:
        'The key that signs requests to this webhook. null or absent: sharedSecret. {"set": true} keeps the stored secret.',
    }),
  ),
})

const requestFields = {
  webhooks: Type.Optional(
    Type.Array(WebhookRequest, { minItems: 1, maxItems: LIMITS.webhooksPerDestination }),
  ),
  webhookUrl: Type.Optional(Schema.text('Shorthand for webhooks: one URL without headers.')),
  sharedSecret: Type.Optional(
    Type.Unsafe({
      ...secretSchema,
      description:
        'The key that signs requests to webhooks without their own secret; null for none. {"set": true} keeps the stored key.',
    }),
  ),
  ...signatureRequest,
  successPolicy: Type.Optional(successPolicy),
  ...routingFields,
}

export const SettingsRequest = Type.Unsafe<unknown>(Schema.strictObject(requestFields))

export const SettingsResponse = Type.Object({
  sharedSecret: SecretResponse,
  ...signatureResponse,
  webhooks: Type.Array(
    Type.Object({
      url,
      headers: Type.Record(Type.String(), Type.Object({ set: Type.Literal(true) })),
      auth: AuthResponse,
      limits: Type.Optional(LimitsResponse),
      secret: Type.Optional(SecretResponse),
      paused: PauseResponse,
    }),
  ),
  successPolicy,
  ...routingFields,
})

/** Settings with their secrets hidden, in a form that `parseWebhooksSettings` accepts. */
export function presentWebhooksSettings(settings: WebhooksSettings) {
  const { sharedSecret, previousSecret, webhooks } = settings
  return {
    sharedSecret: presentSecret({ secret: sharedSecret, previousSecret }),
    ...presentSignature(settings),
    successPolicy: settings.successPolicy,
    webhooks: webhooks.map(({ paused = null, ...webhook }) => ({
      url: webhook.url,
      headers: hideValues(webhook.headers),
      ...(webhook.auth && { auth: presentAuth(webhook.auth) }),
      ...(webhook.limits && { limits: presentLimits(webhook.limits) }),
      ...presentOwnSecret(webhook),
      paused: presentPause(paused),
    })),
    ...presentRouting(settings),
  }
}

function presentOwnSecret({ secret, previousSecret }: Webhook): object {
  return secret === undefined ? {} : { secret: presentSecret({ secret, previousSecret }) }
}

export function presentPause(pause: Pause | null): object | null {
  return pause && { ...pause, since: formatTimestamp(pause.since) }
}

export function exportWebhooksSettings(settings: WebhooksSettings, withSecrets: boolean): object {
  const { sharedSecret, webhooks } = settings
  return {
    sharedSecret: exportSecret(sharedSecret, withSecrets),
    ...exportSignature(settings, withSecrets),
    webhooks: webhooks.map(({ url: shownUrl, headers, auth, limits, secret, paused }) => ({
      url: shownUrl,
      ...exportPause(paused),
      headers: withSecrets ? headers : hideValues(headers),
      ...(auth && { auth: withSecrets ? auth : hideSecretsOf(auth) }),
      ...(limits && { limits: presentLimits(limits) }),
      ...(secret !== undefined && { secret: exportSecret(secret, withSecrets) }),
    })),
    successPolicy: settings.successPolicy,
    ...exportRouting(settings, withSecrets),
  }
}

/** The pause of a forbidden URL is omitted: another service may allow the URL. */
function exportPause(pause: Pause | undefined): object {
  const isExported = pause !== undefined && pause.reason !== 'url_forbidden'
  return isExported ? { paused: { reason: pause.reason } } : {}
}

function hideValues(headers: Webhook['headers']): object {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { set: true }]))
}

const parsePolicy = parserOf('successPolicy', SUCCESS_POLICIES)

/** Settings of the service that the settings of a destination must respect. */
export interface SettingsRules {
  /** Reserved ports that webhook URLs may use. */
  readonly allowedPorts: ReadonlySet<number>
  readonly retentionMs: number
}

interface ParseOptions extends SettingsRules {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether a webhook in `input` may be paused. */
  readonly isImport: boolean
}

const DEFAULT_OPTIONS: ParseOptions = {
  allowedPorts: new Set(),
  retentionMs: Infinity,
  now: Infinity,
  isImport: false,
}

type ParsedSettings =
  { readonly settings: WebhooksSettings } | { readonly errors: readonly FieldError[] }

/**
 * Validates and normalises the settings of a Webhooks destination.
 *
 * With `previous`, `input` is a change: absent fields keep the previous value, and so do hidden secrets. A hidden header
 * value stands for the stored one of the webhook with the same URL.
 * @returns the settings, or all errors, with pointers relative to `input`
 */
export function parseWebhooksSettings(
  input: unknown,
  previous?: WebhooksSettings,
  options: Partial<ParseOptions> = {},
): ParsedSettings {
  if (input === undefined && previous !== undefined) return { settings: previous }
  if (!isJsonObject(input)) {
    const hint = 'Use an object with at least webhooks: {"webhooks": [{"url": "https://…"}]}.'
    return { errors: [typeError(input, '', { name: 'settings', type: 'an object' }, hint)] }
  }
  const errors = unknownFields(input, Object.keys(requestFields))
  const context = { ...DEFAULT_OPTIONS, ...options, errors }
  const settings: WebhooksSettings = {
    ...parseSharedSecret(input['sharedSecret'], previous, errors),
    ...parseSignature(input, previous, context),
    webhooks: parseWebhooks(input, previous?.webhooks, context),
    successPolicy: parsePolicy(input['successPolicy'], errors) ?? previous?.successPolicy ?? 'any',
    ...parseRouting(input, previous, errors),
  }
  return errors.length > 0 ? { errors } : { settings }
}

function parseSharedSecret(
  input: unknown,
  previous: WebhooksSettings | undefined,
  errors: FieldError[],
): Pick<WebhooksSettings, 'sharedSecret' | 'previousSecret'> {
  const stored = {
    secret: previous?.sharedSecret ?? null,
    previousSecret: previous?.previousSecret,
  }
  const { secret: sharedSecret, previousSecret } =
    input === undefined ? stored : parseSecret(input, '/sharedSecret', stored, errors)
  return { sharedSecret, ...(previousSecret && { previousSecret }) }
}

function parseWebhooks(
  { webhooks, webhookUrl }: Readonly<Record<string, unknown>>,
  previous: readonly Webhook[] | undefined,
  context: WebhookContext,
): readonly Webhook[] {
  if (webhooks !== undefined && webhookUrl !== undefined) {
    const hint = 'Use only webhooks; webhookUrl is shorthand for a list of one webhook.'
    context.errors.push(
      fieldError(
        '/webhookUrl',
        'exclusive',
        'webhookUrl and webhooks are mutually exclusive.',
        hint,
      ),
    )
  } else if (webhookUrl !== undefined) {
    const parsed = parseWebhookUrl(webhookUrl, '/webhookUrl', context)
    if (parsed === undefined) return []
    const paused = previous?.find((each) => each.url === parsed)?.paused
    return [{ ...(paused && { paused }), url: parsed, headers: {} }]
  } else if (webhooks === undefined && previous !== undefined) {
    return previous
  }
  return parseWebhookList(webhooks, previous ?? [], context)
}
