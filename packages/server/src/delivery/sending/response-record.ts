import type { IncomingHttpHeaders } from 'node:http'
import type { WebhookRequest } from './webhook-request.ts'

/** Bytes of a body that are kept. */
const KEPT_BYTES = 4 * 1024
/** A UTF-16 code unit is at most so many bytes of UTF-8. */
const MOST_BYTES_OF_A_UNIT = 3
const HEADER_CHARACTERS = 1024
/** A shorter secret would blot out half of any text, and protects nothing. */
const SHORTEST_SECRET = 4

/** `location` besides, without its query. */
const SHOWN = [
  'content-type',
  'content-length',
  'date',
  'server',
  'retry-after',
  'x-request-id',
  'www-authenticate',
] as const

/** What of a request a receiver may echo and nobody may see, the longest first. */
export function secretsIn({ sharedSecret, previousSecret, headers }: WebhookRequest): string[] {
  return [sharedSecret ?? '', previousSecret ?? '', ...Object.values(headers)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
}

/**
 * The first 4 KiB of a body as text, without the secrets that a receiver echoes. Give it twice as much, so that a
 * secret across the end is recognised whole.
 */
export function shownBody(body: Buffer, secrets: readonly string[]): string {
  // NUL is no character of PostgreSQL's text.
  const text = redacted(textOf(body), secrets).replaceAll('\0', '\uFFFD')
  if (text.length * MOST_BYTES_OF_A_UNIT <= KEPT_BYTES) return text
  return textOf(Buffer.from(text).subarray(0, KEPT_BYTES))
}

/** The headers of the allow-list; `location` without query, made absolute by the URL that was asked. */
export function shownHeaders(
  headers: IncomingHttpHeaders,
  url: string,
  secrets: readonly string[],
): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = firstOf(headers[name])
    if (value !== undefined) shown[name] = redacted(value, secrets).slice(0, HEADER_CHARACTERS)
  }
  const location = redirectTarget(firstOf(headers.location), url)
  if (location !== undefined) {
    shown['location'] = redacted(location, secrets).slice(0, HEADER_CHARACTERS)
  }
  return shown
}

/** A header that came more than once counts once. */
export function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

function redirectTarget(location: string | undefined, base: string): string | undefined {
  const target = location === undefined ? null : URL.parse(location, base)
  return target === null ? undefined : `${target.protocol}//${target.host}${target.pathname}`
}

/** Each secret becomes as many asterisks as it has bytes, so that none moves into what is shown of a longer text. */
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
  // A character that the end cuts in two is left out, one that never was UTF-8 is replaced.
  return new TextDecoder().decode(bytes, { stream: true })
}
