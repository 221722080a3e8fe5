import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Clock } from '../util/clock.ts'

/** Bytes of a body that are read, so that the socket can be used again; one that sends more is dropped. */
const READ_BYTES = 64 * 1024
const READ_MS = 1000
/** Bytes of a body that are kept. */
const KEPT_BYTES = 4 * 1024
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

/** Reads at most 64 KiB, at most 1 s long; a body that goes on costs its socket. Returns the first 8 KiB. Never rejects. */
export async function readBody(body: Readable, clock: Clock): Promise<Buffer> {
  const chunks: Buffer[] = []
  let readBytes = 0
  const cancelTimer = clock.after(READ_MS, () => body.destroy())
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      // Twice of what is kept, so that a secret across the end is recognised whole.
      if (readBytes < 2 * KEPT_BYTES) chunks.push(chunk)
      readBytes += chunk.length
      if (readBytes > READ_BYTES) break
    }
  } catch {
    // The status has decided; what came of the body before it broke off is kept.
  } finally {
    cancelTimer()
  }
  return Buffer.concat(chunks).subarray(0, 2 * KEPT_BYTES)
}

/** The first 4 KiB of a body as text, without the secrets that a receiver echoes. */
export function shownBody(body: Buffer, secrets: readonly string[]): string {
  const text = redacted(textOf(body), secrets)
  // NUL is no character of PostgreSQL's text.
  return textOf(Buffer.from(text.replaceAll('\0', '\uFFFD')).subarray(0, KEPT_BYTES))
}

/** The headers of the allow-list; `location` without query, made absolute by the URL that was asked. */
export function shownHeaders(
  headers: IncomingHttpHeaders,
  url: URL,
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

function redirectTarget(location: string | undefined, base: URL): string | undefined {
  const target = location === undefined ? null : URL.parse(location, base.href)
  return target === null ? undefined : `${target.protocol}//${target.host}${target.pathname}`
}

/** Each secret becomes as many asterisks as it has bytes, so that none moves into what is shown of a longer text. */
function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length)
    .reduce(
      (shown, secret) => shown.replaceAll(secret, '*'.repeat(Buffer.byteLength(secret))),
      text,
    )
}

function textOf(bytes: Buffer): string {
  // A character that the end cuts in two is left out, one that never was UTF-8 is replaced.
  return new TextDecoder().decode(bytes, { stream: true })
}
