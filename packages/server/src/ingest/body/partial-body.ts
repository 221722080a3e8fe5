import type { IncomingMessage } from 'node:http'
import type { BodyTurns } from '../../util/limits/body-turns.ts'
import type { ByteBudget } from '../../util/limits/byte-budget.ts'
import type { Refused } from '../responses.ts'

/** The least memory that a partial body takes: a page of the operating system. */
const PAGE_BYTES = 4096
const NO_MEMORY = new ArrayBuffer(0)

/**
 * The bytes of a body that have arrived, until it is parsed. They are in one buffer that grows in place with what has
 * arrived, whatever the client has announced. All partial bodies share a budget, from which each takes the size of its
 * buffer.
 */
export class PartialBody {
  readonly #budget: ByteBudget
  readonly #announcedBytes: number | undefined
  readonly #maxBytes: number
  /** It grows with its memory. */
  #view: Uint8Array<ArrayBuffer> | undefined
  #packet: Buffer | undefined
  #bytes = 0
  #takenBytes = 0

  /** `announcedBytes` is the Content-Length. The caller adds `maxBytes` at most. */
  constructor(
    budget: ByteBudget,
    { announcedBytes, maxBytes }: { readonly announcedBytes?: number; readonly maxBytes: number },
  ) {
    this.#budget = budget
    this.#announcedBytes = announcedBytes
    this.#maxBytes = announcedBytes ?? maxBytes
  }

  /** How many bytes have arrived. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds bytes and returns true; or returns false where the budget has no room. */
  add(chunk: Buffer): boolean {
    const bytes = this.#bytes + chunk.length
    // Most bodies arrive in one packet. They are never partial, and need no copy.
    if (chunk.length === this.#announcedBytes) this.#packet = chunk
    else if (this.#growTo(bytes)) this.#view!.set(chunk, this.#bytes)
    else return false
    this.#bytes = bytes
    return true
  }

  /** The body is complete and waits to be parsed. Returns false where the budget has no room for it. Safe to call twice. */
  hold(): boolean {
    // What arrived in more than one packet has its share already.
    if (this.#packet === undefined || this.#takenBytes > 0) return true
    if (!this.#budget.take(this.#bytes)) return false
    this.#takenBytes = this.#bytes
    return true
  }

  /** All bytes that have arrived, until the body is taken or dropped. */
  get arrived(): Buffer {
    return this.#packet ?? Buffer.from(this.#view?.buffer ?? NO_MEMORY, 0, this.#bytes)
  }

  /** All bytes that have arrived. The body is complete, so it gives back its share of the budget. */
  take(): Buffer {
    const { arrived } = this
    // The memory belongs to the caller now: `drop` must not free it.
    this.#view = undefined
    this.drop()
    return arrived
  }

  /** Frees the memory at once, without waiting for the garbage collector, and gives back the share of the budget. */
  drop(): void {
    this.#budget.giveBack(this.#takenBytes)
    this.#takenBytes = 0
    this.#packet = undefined
    this.#view?.buffer.resize(0)
    this.#view = undefined
  }

  #growTo(bytes: number): boolean {
    const size = Math.min(Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES, this.#maxBytes)
    if (!this.#budget.take(size - this.#takenBytes)) return false
    this.#takenBytes = size
    // It reserves addresses for `maxByteLength`, and memory for its size.
    this.#view ??= new Uint8Array(new ArrayBuffer(0, { maxByteLength: this.#maxBytes }))
    if (size > this.#view.length) this.#view.buffer.resize(size)
    return true
  }
}

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
