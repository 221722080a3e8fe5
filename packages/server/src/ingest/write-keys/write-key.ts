import { isJsonObject, type Json } from '@hookline/protocol'
import type { IncomingHttpHeaders } from 'node:http'

// The places a write key may stand in are asked in this order: headers, body, query. First found wins.

/** The key in the headers: Basic user name with or without the colon, Bearer, X-Write-Key. */
export function keyFromHeaders(headers: IncomingHttpHeaders): string | undefined {
  return keyFromAuthorization(headers.authorization) ?? textOf(headers['x-write-key'])
}

/** The key in the body: `writeKey` of the envelope or single call, else of the first call of a batch. */
export function keyFromBody(body: Json): string | undefined {
  if (!isJsonObject(body)) return undefined
  const { writeKey, batch } = body
  const first: unknown = Array.isArray(batch) ? batch[0] : undefined
  return textOf(writeKey) ?? (isJsonObject(first) ? textOf(first['writeKey']) : undefined)
}

/** The key in the query, as a beacon sends it: `?writeKey=`. */
export function keyFromQuery(query: unknown): string | undefined {
  return isJsonObject(query) ? textOf(query['writeKey']) : undefined
}

/** Clients send the same header with each request: what was read of so many is remembered. */
const REMEMBERED_HEADERS = 1_000
const LONGEST_REMEMBERED = 200

const keyByHeader = new Map<string, string>()

function keyFromAuthorization(header = ''): string | undefined {
  const known = keyByHeader.get(header)
  if (known !== undefined) return known
  const key = readKey(header)
  if (key !== undefined && header.length <= LONGEST_REMEMBERED) {
    if (keyByHeader.size === REMEMBERED_HEADERS) keyByHeader.clear()
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

/** A text that is not empty; the first of several. */
function textOf(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) ? value[0] : value
  return typeof text === 'string' && text !== '' ? text : undefined
}
