import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from '../../util/limits/byte-budget.ts'
import type { BodyTurns } from '../../util/limits/body-turns.ts'
import type { Refused } from '../refused.ts'
import { PartialBody } from './partial-body.ts'

/** The limits of a body. */
export interface BodyLimits {
  readonly maxBytes: number
  /** The memory that all bodies share which have arrived in part, or wait to be parsed. */
  readonly partialBodies: ByteBudget
  readonly reading: BodyTurns
}

/**
 * Reads the body. Resolves with `batch_too_large` as soon as it is known that there are
 * more than `maxBytes`, with `overloaded` where the other bodies that are not parsed take too much memory, and with
 * `bad_request` when the client disconnects. Where a body was not read to its end, the caller must drop what is left of it.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, partialBodies, reading }: BodyLimits,
): Promise<PartialBody | Refused> {
  const announcedBytes = announcedBy(request)
  if (announcedBytes !== undefined && announcedBytes > maxBytes) {
    return Promise.resolve({ refused: 'batch_too_large' })
  }
  const body = new PartialBody(partialBodies, {
    maxBytes,
    ...(announcedBytes !== undefined && { announcedBytes }),
  })
  const { promise, resolve } = Promise.withResolvers<PartialBody | Refused>()
  const stopReading = (): void => {
    request.off('data', add).off('end', onEnd).off('close', onClose)
  }
  const refuse = (refused: Refused['refused']): void => {
    stopReading()
    body.drop()
    resolve({ refused })
  }
  const add = (chunk: Buffer): void => {
    if (body.bytes + chunk.length > maxBytes) refuse('batch_too_large')
    else if (!body.add(chunk)) refuse('overloaded')
    else if (chunk.length !== announcedBytes) reading.read(request, chunk)
  }
  const onEnd = (): void => {
    stopReading()
    resolve(body)
  }
  const onClose = (): void => refuse('bad_request')
  request.on('data', add)
  request.once('end', onEnd)
  // It is emitted after every end of a request: a reset, a timeout, and a complete body.
  request.once('close', onClose)
  return promise
}

/** The Content-Length; absent for a chunked body. */
function announcedBy({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
