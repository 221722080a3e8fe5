import type { IngestCodeName } from '@hookline/protocol'
import { textOf } from './reporting/safe-calls.ts'

/** The call or the write key is invalid. Thrown by the call or the constructor. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError'
  /** A code of the ingestion API; docs/reference/errors.md has a remedy for each. */
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
    super('the client is closed: this call was not queued')
  }
}

/** The queue is full and `onFull` is `'throw'`. Thrown by the call. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'

  constructor() {
    super('the queue is full: this call was not queued')
  }
}

/** `close()` timed out before every call had been delivered or had failed. */
export class FlushTimeoutError extends Error {
  override readonly name = 'FlushTimeoutError'
  /** The number of remaining calls. The batch in flight may have been received. */
  readonly undelivered: number

  constructor(undelivered: number) {
    super(`${countText(undelivered)} not delivered in time`)
    this.undelivered = undelivered
  }
}

function countText(calls: number): string {
  return `${calls} call${calls === 1 ? '' : 's'}`
}

interface LastResponse {
  readonly status?: number | undefined
  readonly code?: string | undefined
  readonly cause?: unknown
}

/** Calls that failed permanently. Reported to `onError`. If the last attempt got no response, `cause` is the reason. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** The number of failed calls. */
  readonly messages: number
  /** The status of the response to the last attempt; undefined if there was none. */
  readonly status: number | undefined
  /** The code in that response, if any. */
  readonly code: string | undefined

  constructor(messages: number, last: LastResponse) {
    const reason = last.status === undefined ? 'no response' : `${last.status} ${last.code ?? ''}`
    super(`${countText(messages)} failed: ${reason.trimEnd()}`, last)
    this.messages = messages
    this.status = last.status
    this.code = last.code
  }
}

/** The service rejected this call; it may have accepted others in the batch. Reported to `onError`. */
export class RejectedError extends Error {
  override readonly name = 'RejectedError'
  readonly messageId: string | null
  readonly code: string

  constructor(rejected: { messageId: string | null; code: string; message: string }) {
    const { messageId, code, message } = rejected
    // A faulty server may send anything.
    super(`call ${textOf(messageId)} was rejected: ${textOf(code)}: ${textOf(message)}`)
    this.messageId = messageId
    this.code = code
  }
}

/** The queue is full and drops calls. Reported to `onError` once per burst; `stats.dropped` counts the calls. */
export class DroppedError extends Error {
  override readonly name = 'DroppedError'
  readonly policy: 'drop-newest' | 'drop-oldest'

  constructor(policy: 'drop-newest' | 'drop-oldest') {
    super(`the queue is full: ${policy}`)
    this.policy = policy
  }
}

/** The errors that `onError` receives. Each failed call is in exactly one `DeliveryError` or `RejectedError`. */
export type ReportedError = DeliveryError | RejectedError | DroppedError
