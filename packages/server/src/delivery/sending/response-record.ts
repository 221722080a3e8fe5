import type { IncomingHttpHeaders } from 'node:http'
import { hideSecrets } from '../../util/secrets/hide-secrets.ts'
import { sentSecrets } from '../auth/authorization.ts'
import type { WebhookRequest } from './webhook-request.ts'

const KEPT_BYTES = 4 * 1024
/** The maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_BYTES_PER_UNIT = 3
const HEADER_CHARACTERS = 1024

/** Recorded headers, besides `location` without its query. */
const RECORDED_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'server',
  'retry-after',
  'webhook-delivery',
  'x-request-id',
  'www-authenticate',
] as const

/** The secrets of a request, which a receiver may echo. */
export function secretsIn(request: WebhookRequest): string[] {
  const { sharedSecret, previousSecret, headers, auth, token } = request
  return [
    sharedSecret ?? '',
    previousSecret ?? '',
    ...Object.values(headers),
    ...sentSecrets(auth, token),
  ]
}

/** The first 4 KiB of a body as text, without echoed secrets. Pass 8 KiB, so that no secret is cut off. */
export function shownBody(body: Buffer, secrets: readonly string[]): string {
  // PostgreSQL text cannot contain NUL.
  const text = hideSecrets(textOf(body), secrets).replaceAll('\0', '\uFFFD')
  if (text.length * MAX_BYTES_PER_UNIT <= KEPT_BYTES) return text
  return textOf(Buffer.from(text).subarray(0, KEPT_BYTES))
}

/** The allowlisted headers, and `location` without its query, resolved against the request URL. */
export function shownHeaders(
  headers: IncomingHttpHeaders,
  url: string,
  secrets: readonly string[],
): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of RECORDED_HEADERS) {
    const value = joinHeaderValues(headers[name])
    if (value !== undefined) shown[name] = hideSecrets(value, secrets).slice(0, HEADER_CHARACTERS)
  }
  const location = redirectTarget(firstOf(headers.location), url)
  if (location !== undefined) {
    shown['location'] = hideSecrets(location, secrets).slice(0, HEADER_CHARACTERS)
  }
  return shown
}

/** All values of a header as one (RFC 9110 §5.2). */
export function joinHeaderValues(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function redirectTarget(location: string | undefined, base: string): string | undefined {
  const target = location === undefined ? null : URL.parse(location, base)
  return target === null ? undefined : `${target.protocol}//${target.host}${target.pathname}`
}

function textOf(bytes: Buffer): string {
  if (bytes.length === 0) return ''
  // An incomplete character at the end is dropped; invalid bytes are replaced.
  return new TextDecoder().decode(bytes, { stream: true })
}
