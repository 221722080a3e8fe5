import {
  HEADER_NAME,
  isJsonObject,
  isMailUrl,
  LIMITS,
  type Pause,
  PAUSE_REASONS,
  reservedBy,
  type Webhook,
  type WebhookAuth,
} from '@hookline/protocol'
import {
  type FieldError,
  fieldError,
  jsonPointer,
  typeError,
  unknownFields,
} from '../../util/field-error.ts'
import { isHidden } from './hidden-values.ts'
import { parseSecret } from './secrets.ts'
import { parseAuth } from './webhook-auth.ts'
import { type LimitsContext, parseLimits } from './webhook-limits.ts'
import { parseWebhookUrl, type UrlContext } from './webhook-urls.ts'

export interface WebhookContext extends UrlContext, LimitsContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether `paused` is applied instead of ignored. */
  readonly isImport: boolean
}

const MAX_WEBHOOKS = LIMITS.webhooksPerDestination
const MAX_NAME_CHARACTERS = 256
const MAX_VALUE_CHARACTERS = LIMITS.headerValueCharacters

// Clients may send back `paused`, which is ignored except in an import.
const FIELDS = ['url', 'headers', 'auth', 'limits', 'secret', 'paused']

// RFC 9110 §5.5, without tabs and octets beyond ASCII.
const VISIBLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Parses the webhooks of a destination. Hidden values stand for the values in `previous`. */
export function parseWebhookList(
  input: unknown,
  previous: readonly Webhook[],
  context: WebhookContext,
): readonly Webhook[] {
  const { errors } = context
  errors.push(...listErrors(input))
  if (!Array.isArray(input)) return []
  const webhooks: Webhook[] = []
  const urls = new Set<string>()
  for (const [index, entry] of input.entries()) {
    const webhook = parseWebhook(entry, jsonPointer('webhooks', index), previous, context)
    if (webhook === undefined) continue
    if (urls.has(webhook.url)) {
      const pointer = jsonPointer('webhooks', index, 'url')
      const hint = 'List each URL only once: a second entry would deliver every event twice.'
      errors.push(fieldError(pointer, 'duplicate_url', 'Duplicate URL.', hint))
    }
    urls.add(webhook.url)
    webhooks.push(webhook)
  }
  return webhooks
}

function listErrors(input: unknown): FieldError[] {
  const at = '/webhooks'
  const hint = `Use 1 to ${MAX_WEBHOOKS} webhooks: [{"url": "https://…", "headers": {}}].`
  const list = { name: 'webhooks', type: 'a list' }
  if (!Array.isArray(input)) return [typeError(input, at, list, hint)]
  if (input.length === 0) return [fieldError(at, 'too_few', 'webhooks must not be empty.', hint)]
  if (input.length <= MAX_WEBHOOKS) return []
  return [fieldError(at, 'too_many', 'Too many webhooks.', hint)]
}

function parseWebhook(
  entry: unknown,
  pointer: string,
  previous: readonly Webhook[],
  context: WebhookContext,
): Webhook | undefined {
  const { errors } = context
  if (!isJsonObject(entry)) {
    const hint = 'Use an object: {"url": "https://…", "headers": {}}.'
    errors.push(fieldError(pointer, 'invalid_type', 'A webhook must be an object.', hint))
    return undefined
  }
  errors.push(...unknownFields(entry, FIELDS, pointer))
  const url = parseWebhookUrl(entry['url'], `${pointer}/url`, { ...context, allowsMail: true })
  const stored = previous.find((webhook) => webhook.url === url)
  const known = stored?.headers ?? {}
  const headers = parseStaticHeaders(entry['headers'], `${pointer}/headers`, known, errors)
  const auth = parseAuth(entry['auth'], {
    pointer: `${pointer}/auth`,
    webhook: { url, headers },
    stored: stored?.auth,
    urls: context,
  })
  errors.push(...mailErrors(pointer, url, { headers, auth }))
  const limits = parseLimits(entry['limits'], `${pointer}/limits`, stored?.limits, context)
  const secret = parseWebhookSecret(entry['secret'], `${pointer}/secret`, stored, errors)
  const paused = stored?.paused ?? importedPause(entry['paused'], `${pointer}/paused`, context)
  if (url === undefined) return undefined
  return {
    ...(paused && { paused }),
    url,
    headers,
    ...(auth && { auth }),
    ...(limits && { limits }),
    ...secret,
  }
}

/** Mail servers receive no headers and support only basic auth. */
function mailErrors(
  pointer: string,
  url: string | undefined,
  {
    headers,
    auth,
  }: { readonly headers: Webhook['headers']; readonly auth: WebhookAuth | undefined },
): readonly FieldError[] {
  if (url === undefined || !isMailUrl(url)) return []
  const hasOther = auth !== undefined && !('basic' in auth)
  const hint =
    'Omit headers. If the mail server requires a login, use {"auth": {"basic": {"user": "…", "password": "…"}}}.'
  return [
    ...(Object.keys(headers).length > 0 ? ['headers'] : []),
    ...(hasOther ? ['auth'] : []),
  ].map((name) =>
    fieldError(
      `${pointer}/${name}`,
      'not_allowed',
      'Email supports no headers, and no auth except basic.',
      hint,
    ),
  )
}

/** The pause that an import sets on a webhook. It begins now. */
function importedPause(
  input: unknown,
  pointer: string,
  { now, isImport, errors }: WebhookContext,
): Pause | undefined {
  if (!isImport || input === undefined || input === null) return undefined
  const reason = isJsonObject(input)
    ? PAUSE_REASONS.find((each) => each === input['reason'])
    : undefined
  if (reason !== undefined) return { since: now, reason }
  const hint = `Use {"reason": …} with one of ${PAUSE_REASONS.join(', ')}, or omit it.`
  errors.push(fieldError(pointer, 'not_allowed', 'Invalid pause.', hint))
  return undefined
}

function parseWebhookSecret(
  input: unknown,
  pointer: string,
  stored: Webhook | undefined,
  errors: FieldError[],
): Pick<Webhook, 'secret' | 'previousSecret'> {
  const { secret: storedSecret = null, previousSecret: storedPrevious } = stored ?? {}
  const before = { secret: storedSecret, previousSecret: storedPrevious }
  const { secret, previousSecret } = parseSecret(input, pointer, before, errors)
  return { ...(secret !== null && { secret }), ...(previousSecret && { previousSecret }) }
}

function parseStaticHeaders(
  input: unknown,
  pointer: string,
  stored: Webhook['headers'],
  errors: FieldError[],
): Webhook['headers'] {
  if (input === undefined) return {}
  if (!isJsonObject(input)) {
    const hint = 'Use an object of names and values: {"Authorization": "Bearer …"}.'
    errors.push(fieldError(pointer, 'invalid_type', 'The headers must be an object.', hint))
    return {}
  }
  const entries = Object.entries(input)
  if (entries.length > LIMITS.headersPerWebhook) {
    const hint = `Use at most ${LIMITS.headersPerWebhook} headers per webhook.`
    errors.push(fieldError(pointer, 'too_many', 'Too many headers.', hint))
  }
  const storedValues = new Map(
    Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const seen = new Set<string>()
  const headers: [name: string, value: string][] = []
  for (const [name, header] of entries) {
    const lowerName = name.toLowerCase()
    const value = isHidden(header) ? (storedValues.get(lowerName) ?? header) : header
    const error = nameError(name, seen) ?? valueError(value)
    if (error !== undefined) errors.push({ ...error, pointer: pointer + jsonPointer(name) })
    seen.add(lowerName)
    if (typeof value === 'string') headers.push([name, value])
  }
  return Object.fromEntries(headers)
}

function nameError(name: string, seen: ReadonlySet<string>): FieldError | undefined {
  if (!HEADER_NAME.test(name) || name.length > MAX_NAME_CHARACTERS) {
    const hint = `Use 1 to ${MAX_NAME_CHARACTERS} letters, digits and !#$%&'*+-.^_\`|~ without spaces.`
    return fieldError('', 'invalid_header_name', 'Invalid header name.', hint)
  }
  if (reservedBy(name) !== undefined) {
    const hint = 'Choose another name: this header is set by Hookline or by the connection.'
    return fieldError('', 'reserved_header', 'This header is reserved.', hint)
  }
  if (seen.has(name.toLowerCase())) {
    const hint = 'Remove one of them: header names are case-insensitive.'
    return fieldError('', 'duplicate_header', 'Duplicate header.', hint)
  }
  return undefined
}

function valueError(value: unknown): FieldError | undefined {
  if (isHidden(value)) {
    const hint = 'Send the value: this webhook has no stored value for the header.'
    return fieldError('', 'hidden_value_unknown', 'The header has no stored value.', hint)
  }
  if (typeof value !== 'string') {
    const hint = 'Send the value as a string, even for numbers: "1".'
    return fieldError('', 'invalid_type', 'A header value must be a string.', hint)
  }
  if (value.length > MAX_VALUE_CHARACTERS) {
    const hint = `Use at most ${MAX_VALUE_CHARACTERS} characters.`
    return fieldError('', 'too_long', 'The header value is too long.', hint)
  }
  if (!VISIBLE.test(value)) {
    const hint =
      'Use visible ASCII characters, without leading or trailing spaces. Omit headers without a value.'
    return fieldError('', 'invalid_header_value', 'Invalid header value.', hint)
  }
  return undefined
}
