import {
  isMailUrl,
  mailAddressesIn,
  INSPECTOR_HOST,
  INSPECTOR_URL,
  LIMITS,
  portRefusal,
  URL_FIELDS,
} from '@hookline/protocol'
import { type FieldError, fieldError, errorsBelow, typeError } from '../../util/field-error.ts'
import { invalidTemplate, withReadableTemplates } from '../../routing/url-template.ts'

const MAX_CHARACTERS = LIMITS.webhookUrlCharacters

export interface UrlContext {
  /** Ports that are allowed although they are reserved for other services. */
  readonly allowedPorts: ReadonlySet<number>
  /** Whether the URL may name a mail server. */
  readonly allowsMail?: boolean
  /** The parser appends to them. */
  readonly errors: FieldError[]
}

/**
 * Parses and normalises the URL of a webhook (WHATWG URL standard); `undefined` if it is invalid. The address is checked on
 * each attempt, after the DNS lookup.
 */
export function parseWebhookUrl(
  input: unknown,
  pointer: string,
  { allowedPorts, allowsMail = false, errors }: UrlContext,
): string | undefined {
  if (typeof input !== 'string') {
    const hint = 'Use a full URL: https://example.com/events.'
    errors.push(typeError(input, pointer, { name: 'The URL', type: 'a string' }, hint))
    return undefined
  }
  const urlErrors =
    allowsMail && isMailUrl(input) ? mailErrors(input, allowedPorts) : errorsOf(input, allowedPorts)
  errors.push(...errorsBelow(pointer, urlErrors))
  return urlErrors.length === 0 ? withReadableTemplates(new URL(input).href) : undefined
}

function errorsOf(text: string, allowedPorts: ReadonlySet<number>): FieldError[] {
  const invalid = invalidTemplate(text)
  if (invalid !== undefined) return [templateError(invalid)]
  const url = URL.parse(text)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:') {
    const hint = 'Start the URL with https:// or http://.'
    return [fieldError('', 'scheme_not_allowed', 'Only http and https URLs are allowed.', hint)]
  }
  // The WHATWG parser also accepts `http:host` and `http:///host`.
  if (url === null || !/^\s*https?:\/\/[^/\\?#]/i.test(text)) {
    const hint = 'Use a full URL with protocol and host: https://example.com/events.'
    return [fieldError('', 'invalid_url', 'The URL cannot be parsed.', hint)]
  }
  const isInspector = url.hostname === INSPECTOR_HOST
  const origin = isInspector ? inspectorErrors(url) : portErrors(url, allowedPorts)
  return [...formErrors(text, url), ...origin]
}

function mailErrors(text: string, allowedPorts: ReadonlySet<number>): FieldError[] {
  const url = URL.parse(text)
  const hint = 'Use a URL like smtps://mail.example.com/?to=ops@example.com,team@example.com.'
  if (url === null || url.hostname === '' || !/^\/?$/.test(url.pathname))
    return [fieldError('', 'invalid_url', 'The URL of the mail server cannot be parsed.', hint)]
  const recipients =
    mailAddressesIn(url) === undefined
      ? [
          fieldError(
            '',
            'invalid_url',
            'The query may contain only "to" (1 to 20 addresses) and "from".',
            hint,
          ),
        ]
      : []
  return [
    ...formErrors(text, url),
    ...portErrors(url, allowedPorts, { isMail: true }),
    ...recipients,
  ]
}

const TEMPLATES = [...URL_FIELDS, 'properties.name'].map((field) => `{{${field}}}`).join(', ')

function templateError(invalid: NonNullable<ReturnType<typeof invalidTemplate>>): FieldError {
  if (invalid.kind === 'misplaced') {
    const hint = `Use ${TEMPLATES} only in the path and the query of a full URL: https://example.com/users/{{userId}}.`
    const message = 'The scheme, host and port of a URL must not contain placeholders.'
    return fieldError('', 'placeholder_not_allowed', message, hint)
  }
  const hint = `Use one of ${TEMPLATES}, without spaces. Write other braces as %7B and %7D.`
  return fieldError(
    '',
    'unknown_placeholder',
    `Unknown placeholder in the URL: ${invalid.template}`,
    hint,
  )
}

function inspectorErrors({ protocol, port }: URL): FieldError[] {
  if (protocol === 'http:' && port === '') return []
  const hint = `Use ${INSPECTOR_URL}, with any path: the inspector has neither TLS nor a port.`
  const message = `${INSPECTOR_HOST} is the built-in inspector, which only supports http.`
  return [fieldError('', 'not_the_inspector', message, hint)]
}

function portErrors(
  { port }: URL,
  allowedPorts: ReadonlySet<number>,
  options?: Parameters<typeof portRefusal>[2],
): FieldError[] {
  const service = port === '' ? undefined : portRefusal(Number(port), allowedPorts, options)
  if (service === undefined) return []
  const hint = 'Use another port. Operators can allow this one with the allowedPorts setting.'
  return [fieldError('', 'port_not_allowed', `Port ${port} is reserved for ${service}.`, hint)]
}

function formErrors(text: string, url: URL): FieldError[] {
  const errors: FieldError[] = []
  if (Math.max(text.length, withReadableTemplates(url.href).length) > MAX_CHARACTERS) {
    const hint = `Use at most ${MAX_CHARACTERS} characters, including percent-encoding.`
    errors.push(fieldError('', 'too_long', 'The URL is too long.', hint))
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'Put credentials into auth: "auth": {"basic": {"user": "…", "password": "…"}}.'
    errors.push(fieldError('', 'credentials_in_url', 'The URL contains credentials.', hint))
  }
  if (url.href.includes('#')) {
    const hint = 'Remove # and everything after it: it is never sent.'
    errors.push(fieldError('', 'fragment_in_url', 'The URL has a fragment.', hint))
  }
  return errors
}
