import type { IngestCodeName } from '@hookline/protocol'

/** A call, or an option, that could never be accepted: a mistake in the program. Thrown by the call itself. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError'
  /** The code the service would answer with; docs/errors.md has a remedy for each. */
  readonly code: IngestCodeName

  constructor(code: IngestCodeName, detail: string, options?: ErrorOptions) {
    super(`${code}: ${detail}`, options)
    this.code = code
  }
}

/** A call was made after `close()`. Thrown by the call. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError'

  constructor() {
    super('the client was closed: this call was not taken')
  }
}

/** The queue is full and `onFull` is `'throw'`. Thrown by the call. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'

  constructor() {
    super('the queue is full: this call was not taken')
  }
}

/** `close()` ended before every message had arrived or failed. */
export class FlushTimeoutError extends Error {
  override readonly name = 'FlushTimeoutError'
  /** How many messages were left. Of the batch in flight nobody knows whether it arrived. */
  readonly undelivered: number

  constructor(undelivered: number) {
    super(`${undelivered} messages were not delivered in time`)
    this.undelivered = undelivered
  }
}

interface LastAnswer {
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly cause?: unknown
}

/** Messages that will not be tried again. Reported to `onError`. `cause` has the last error of the network. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** How many messages failed. */
  readonly messages: number
  /** The status of the last answer; absent where there was none. */
  readonly status: number | undefined
  /** The code in the last answer. */
  readonly code: string | undefined

  constructor(messages: number, last: LastAnswer) {
    const reason = last.status === undefined ? 'no answer' : `${last.status} ${last.code ?? ''}`
    super(`${messages} messages failed: ${reason.trimEnd()}`, last)
    this.messages = messages
    this.status = last.status
    this.code = last.code
  }
}

/** One message that the service refused, while others of its batch may be fine. Reported to `onError`. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError'
  readonly messageId: string | null
  readonly code: string

  constructor(rejected: { messageId: string | null; code: string; message: string }) {
    super(`message ${rejected.messageId} was rejected: ${rejected.code}: ${rejected.message}`)
    this.messageId = rejected.messageId
    this.code = rejected.code
  }
}

/** The queue is full and calls are being dropped. Reported to `onError` once per burst; `stats` counts them. */
export class DroppedError extends Error {
  override readonly name = 'DroppedError'
  readonly policy: 'drop-newest' | 'drop-oldest'

  constructor(policy: 'drop-newest' | 'drop-oldest') {
    super(`the queue is full: ${policy}`)
    this.policy = policy
  }
}

/** What `onError` is told. Each message that fails is in exactly one delivery or rejected error. */
export type ReportedError = DeliveryError | RejectedError | DroppedError
