import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from '../../util/byte-budget.ts'
import type { Refused } from '../refused.ts'
import { PartialBody } from './partial-body.ts'

/** The limits of a body. */
export interface BodyLimits {
  readonly maxBytes: number
  /** The memory that all bodies share which have arrived in part. */
  readonly partialBodies: ByteBudget
}

/**
 * Reads the bytes of the body as they were sent. Resolves with `batch_too_large` as soon as it is known that there are
 * more than `maxBytes`, with `overloaded` where too many bytes of other bodies have arrived in part, and with
 * `bad_request` when the client disconnects. Where it does not resolve with the body, the caller must drop what is left
 * of it.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, partialBodies }: BodyLimits,
): Promise<Buffer | Refused> {
  const announcedBytes = announcedBy(request)
  if (announcedBytes !== undefined && announcedBytes > maxBytes) {
    return Promise.resolve({ refused: 'batch_too_large' })
  }
  const body = new PartialBody(partialBodies, {
    maxBytes,
    ...(announcedBytes !== undefined && { announcedBytes }),
  })
  const { promise, resolve } = Promise.withResolvers<Buffer | Refused>()
  const refuse = (refused: Refused['refused']): void => {
    request.off('data', add)
    body.drop()
    resolve({ refused })
  }
  const add = (chunk: Buffer): void => {
    if (body.bytes + chunk.length > maxBytes) refuse('batch_too_large')
    else if (!body.add(chunk)) refuse('overloaded')
  }
  request.on('data', add)
  request.once('end', () => resolve(body.take()))
  // It is emitted after every end of a request: a reset, a timeout, and a complete body.
  request.once('close', () => refuse('bad_request'))
  return promise
}

/** The Content-Length; absent for a chunked body. */
function announcedBy({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
