import type { IncomingHttpHeaders } from 'node:http'
import type { WebhookRequest } from './webhook-request.ts'

/** How many bytes of a body are recorded. */
const KEPT_BYTES = 4 * 1024
/** The most bytes of UTF-8 that a UTF-16 code unit takes. */
const MOST_BYTES_PER_UNIT = 3
const HEADER_CHARACTERS = 1024
/** A shorter secret occurs in ordinary text, and protects nothing. */
const SHORTEST_SECRET = 4

/** The headers that are recorded. `location` is, too, without its query. */
const SHOWN = [
  'content-type',
  'content-length',
  'date',
  'server',
  'retry-after',
  'x-request-id',
  'www-authenticate',
] as const

/** The secrets of a request, which a receiver may echo, the longest first. */
export function secretsIn({ sharedSecret, previousSecret, headers }: WebhookRequest): string[] {
  return [sharedSecret ?? '', previousSecret ?? '', ...Object.values(headers)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
}

/**
 * The first 4 KiB of a body as text, without the secrets that a receiver echoes. Pass 8 KiB, so that a secret that
 * crosses the end is found as a whole.
 */
export function shownBody(body: Buffer, secrets: readonly string[]): string {
  // The text of PostgreSQL cannot contain NUL.
  const text = redacted(textOf(body), secrets).replaceAll('\0', '\uFFFD')
  if (text.length * MOST_BYTES_PER_UNIT <= KEPT_BYTES) return text
  return textOf(Buffer.from(text).subarray(0, KEPT_BYTES))
}

/** The headers of the allow-list, and `location` without its query, resolved against the URL of the request. */
export function shownHeaders(
  headers: IncomingHttpHeaders,
  url: string,
  secrets: readonly string[],
): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = combined(headers[name])
    if (value !== undefined) shown[name] = redacted(value, secrets).slice(0, HEADER_CHARACTERS)
  }
  const location = redirectTarget(firstOf(headers.location), url)
  if (location !== undefined) {
    shown['location'] = redacted(location, secrets).slice(0, HEADER_CHARACTERS)
  }
  return shown
}

/** All values of a header as one (RFC 9110 §5.2). */
export function combined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

/** The first value of a header. */
function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function redirectTarget(location: string | undefined, base: string): string | undefined {
  const target = location === undefined ? null : URL.parse(location, base)
  return target === null ? undefined : `${target.protocol}//${target.host}${target.pathname}`
}

/** Replaces each byte of a secret with an asterisk, so the text that follows does not move up into the first 4 KiB. */
function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (shown, secret) =>
      shown.includes(secret)
        ? shown.replaceAll(secret, '*'.repeat(Buffer.byteLength(secret)))
        : shown,
    text,
  )
}

function textOf(bytes: Buffer): string {
  if (bytes.length === 0) return ''
  // An incomplete character at the end is left out; bytes that are not UTF-8 are replaced.
  return new TextDecoder().decode(bytes, { stream: true })
}
