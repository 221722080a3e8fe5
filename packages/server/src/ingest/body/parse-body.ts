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

/** Reads the body as JSON, whatever the content type is. */
export async function parseBody(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<ParsedBody | Refused> {
  const sent = await readBody(request, limits)
  if (isRefused(sent)) return sent
  const decoded = decodeBody(sent, request.headers['content-encoding'], limits.maxBytes)
  if (isRefused(decoded)) return decoded
  try {
    return { ...decoded, json: JSON.parse(decoded.text) }
  } catch {
    return { refused: 'invalid_json' }
  }
}
