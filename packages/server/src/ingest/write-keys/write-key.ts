import { isJsonObject, type Json, type Source } from '@hookline/protocol'
import type { IncomingHttpHeaders } from 'node:http'
import type { CatalogSnapshot } from '../../backend/catalog.ts'
import type { Refused } from '../refused.ts'

/** The source of this write key, if the source is enabled. */
export function authenticate(
  catalog: CatalogSnapshot,
  writeKey: string | undefined,
): Source | Refused {
  const source = writeKey === undefined ? undefined : catalog.sourceByWriteKey.get(writeKey)
  if (source === undefined) return { refused: 'unknown_write_key' }
  return source.enabled ? source : { refused: 'source_disabled', source }
}

// A write key is looked for in the headers, then in the query, then in the body. The first one counts. The body comes
// last, because a request whose key is not valid is refused before its body is read.

/** The key in the headers: the user name of Basic (with or without a colon), Bearer, or X-Write-Key. */
export function keyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  return keyFromAuthorization(headers.authorization) ?? textOf(headers['x-write-key'])
}

/** The key in the body: `writeKey` of the batch or the single call, else that of the first call of the batch. */
export function keyFromBody(body: Json): string | undefined {
  if (!isJsonObject(body)) return undefined
  const { writeKey, batch } = body
  const first: unknown = Array.isArray(batch) ? batch[0] : undefined
  return textOf(writeKey) ?? (isJsonObject(first) ? textOf(first['writeKey']) : undefined)
}

const WRITTEN_KEYS = /"writeKey"\s*:\s*"([^"\\]+)"/g

/**
 * The sources whose keys are in the text of a body, without escapes. To parse a large body takes many times as long, and is
 * lost without a key.
 */
export function sourcesNamedIn(catalog: CatalogSnapshot, body: string): ReadonlySet<Source> {
  const named = new Set<Source>()
  for (const [, key] of body.matchAll(WRITTEN_KEYS)) {
    const source = catalog.sourceByWriteKey.get(key!)
    if (source !== undefined) named.add(source)
  }
  return named
}

/** The key in the query, where beacons send it: `?writeKey=`. */
export function keyFromQuery(query: unknown): string | undefined {
  return isJsonObject(query) ? textOf(query['writeKey']) : undefined
}

/** A client sends the same header with each request, so the keys of this many headers are cached. */
const MOST_CACHED_HEADERS = 1_000
const LONGEST_CACHED = 200

const keyByHeader = new Map<string, string>()

function keyFromAuthorization(header = ''): string | undefined {
  const known = keyByHeader.get(header)
  if (known !== undefined) return known
  const key = readKey(header)
  if (key !== undefined && header.length <= LONGEST_CACHED) {
    if (keyByHeader.size === MOST_CACHED_HEADERS) keyByHeader.clear()
    keyByHeader.set(header, key)
  }
  return key
}

function readKey(header: string): string | undefined {
  const [, scheme, credentials] = /^(basic|bearer) +(\S+)$/i.exec(header.trim()) ?? []
  if (scheme === undefined || credentials === undefined) return undefined
  if (scheme.toLowerCase() === 'bearer') return credentials
  const [user] = Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)
  return textOf(user)
}

/** The value, or the first of several, if it is a text that is not empty. */
function textOf(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && text !== '' ? text : undefined
}
