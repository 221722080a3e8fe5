import type { Json } from '@hookline/protocol'
import { decodeBody } from './decode-body.ts'
import { isRefused, type Refused } from '../refused.ts'
import { withoutNonFinite } from './non-finite.ts'

/** The body of a request: its text, its JSON value, and its size after decompression. */
export interface ParsedBody {
  readonly json: Json
  readonly text: string
  readonly bytes: number
  /** Whether `text` has Infinity in place of numbers that JSON does not have: calls with one are refused. */
  readonly hasNonFinite: boolean
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
  if (json !== undefined) return { ...decoded, json, hasNonFinite: false }
  const text = withoutNonFinite(decoded.text)
  const finite = text === undefined ? undefined : jsonIn(text)
  if (text === undefined || finite === undefined) return { refused: 'invalid_json' }
  return { text, bytes: decoded.bytes, json: finite, hasNonFinite: true }
}

/** `undefined` where the text is no JSON. */
function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
