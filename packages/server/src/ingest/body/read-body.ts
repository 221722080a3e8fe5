import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from '../../util/byte-budget.ts'
import type { Refused } from '../refused.ts'
import type { ParsingTurns } from './parsing-turns.ts'
import { PartialBody } from './partial-body.ts'

/** The limits of a body. */
export interface BodyLimits {
  readonly maxBytes: number
  /** The memory that all bodies share which have arrived in part, or wait to be parsed. */
  readonly partialBodies: ByteBudget
  readonly turns: ParsingTurns
}

/** How many times larger a compressed body may well be once it is decompressed. */
const COMPRESSION = 10

/**
 * Reads the bytes of the body as they were sent. Resolves when it is their turn to be parsed. Resolves with
 * `batch_too_large` as soon as it is known that there are more than `maxBytes`, with `overloaded` where the other bodies
 * that are not parsed take too much memory, and with `bad_request` when the client disconnects. Where it does not resolve
 * with the body, the caller must drop what is left of it.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, partialBodies, turns }: BodyLimits,
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
  }
  const onEnd = (): void => {
    stopReading()
    const turn = turns.take(parsedBytes(request, body.bytes, maxBytes))
    if (turn === undefined) resolve(body.take())
    else if (body.hold()) void turn.then(() => resolve(body.take()))
    else refuse('overloaded')
  }
  const onClose = (): void => refuse('bad_request')
  request.on('data', add)
  request.once('end', onEnd)
  // It is emitted after every end of a request: a reset, a timeout, and a complete body.
  request.once('close', onClose)
  return promise
}

/** How many bytes are to be parsed; of a compressed body, a guess. */
function parsedBytes({ headers }: IncomingMessage, sentBytes: number, maxBytes: number): number {
  const isCompressed = headers['content-encoding'] !== undefined
  return isCompressed ? Math.min(sentBytes * COMPRESSION, maxBytes) : sentBytes
}

/** The Content-Length; absent for a chunked body. */
function announcedBy({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
