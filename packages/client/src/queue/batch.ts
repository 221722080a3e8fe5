const PREFIX = encode('{"batch":[')
const SENT_AT = ',"sentAt":"'
const MIDDLE = encode(`]${SENT_AT}`)
const TIME_BYTES = '2026-01-01T00:00:00.000Z'.length
const SUFFIX = encode('"}')

/** The size of a batch without its messages and the commas between them. */
export const ENVELOPE_BYTES = PREFIX.length + MIDDLE.length + TIME_BYTES + SUFFIX.length

/** Consecutive messages as the body of one request. */
export class Batch {
  /** The queue number of its first message. */
  readonly first: number
  readonly length: number
  /** The size of its messages. */
  readonly messageBytes: number
  readonly #body: Uint8Array<ArrayBuffer>

  constructor(first: number, messages: readonly Uint8Array[]) {
    this.first = first
    this.length = messages.length
    this.messageBytes = messages.reduce((sum, message) => sum + message.length, 0)
    this.#body = join(messages, this.messageBytes)
  }

  /** The body of a request sent at `nowMs`. Valid until the next call. */
  sentAt(nowMs: number): Uint8Array<ArrayBuffer> {
    const at = this.#body.length - SUFFIX.length - TIME_BYTES
    this.#body.set(encode(new Date(nowMs).toISOString()), at)
    return this.#body
  }
}

function join(messages: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(bytes + messages.length - 1 + ENVELOPE_BYTES)
  body.set(PREFIX)
  let at = PREFIX.length
  for (const message of messages) {
    if (at > PREFIX.length) body[at++] = 0x2c
    body.set(message, at)
    at += message.length
  }
  body.set(MIDDLE, at)
  body.set(SUFFIX, body.length - SUFFIX.length)
  return body
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
