import { type Json, withoutNonFinite } from '@hookline/protocol'
import { type DecodedBody, decodeBody } from './decode-body.ts'
import { isRefused, type Refused } from '../refused.ts'

/**
 * The body of a request, and its JSON value. In both, Infinity replaces the numbers that JSON does not have: calls with
 * one are refused.
 */
export interface ParsedBody extends DecodedBody {
  readonly json: Json
}

/** Parses a body as JSON, whatever the content type is. */
export function parseBody(
  sent: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): ParsedBody | Refused {
  const decoded = decodeBody(sent, contentEncoding, maxBytes)
  if (isRefused(decoded)) return decoded
  const json = jsonIn(decoded.text)
  if (json !== undefined) return { ...decoded, json }
  const text = withoutNonFinite(decoded.text)
  const finite = text === undefined ? undefined : jsonIn(text)
  if (text === undefined || finite === undefined) return { refused: 'invalid_json' }
  return { ...decoded, text, json: finite }
}

/** `undefined` where the text is no JSON. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
