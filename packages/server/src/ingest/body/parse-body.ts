import { type Json, withoutNonFinite } from '@hookline/protocol'
import type { IncomingMessage } from 'node:http'
import { type DecodedBody, decodeBody } from './decode-body.ts'
import { type BodyLimits, readBody } from './read-body.ts'
import { isRefused, type Refused } from '../refused.ts'

/**
 * The body of a request, and its JSON value. In both, Infinity replaces the numbers that JSON does not have: calls with
 * one are refused.
 */
export interface ParsedBody extends DecodedBody {
  readonly json: Json
}

/**
 * Reads the body as JSON, whatever the content type is. Where the source is not known yet, `mayContainKey` says whether
 * the body is worth parsing.
 */
export function parseBody(
  request: IncomingMessage,
  limits: BodyLimits,
  mayContainKey: (text: string) => boolean,
): Promise<ParsedBody | Refused> {
  const encoding = request.headers['content-encoding']
  return readBody(request, limits, (sent) => {
    const decoded = decodeBody(sent, encoding, limits.maxBytes)
    if (isRefused(decoded)) return decoded
    if (!mayContainKey(decoded.text)) return { refused: 'unknown_write_key' }
    const json = jsonIn(decoded.text)
    if (json !== undefined) return { ...decoded, json }
    const text = withoutNonFinite(decoded.text)
    const finite = text === undefined ? undefined : jsonIn(text)
    if (text === undefined || finite === undefined) return { refused: 'invalid_json' }
    return { ...decoded, text, json: finite }
  })
}

/** `undefined` where the text is no JSON. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
