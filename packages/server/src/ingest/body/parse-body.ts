import type { Json } from '@hookline/protocol'
import type { IncomingMessage } from 'node:http'
import { decodeBody } from './decode-body.ts'
import { type BodyLimits, readBody } from './read-body.ts'
import { isRefused, type Refused } from '../refused.ts'

/** The body of a request: its text, its JSON value, and its size after decompression. */
export interface ParsedBody {
  readonly json: Json
  readonly text: string
  readonly bytes: number
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
    try {
      return { ...decoded, json: JSON.parse(decoded.text) as Json }
    } catch {
      return { refused: 'invalid_json' }
    }
  })
}
