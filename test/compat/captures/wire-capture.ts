import type { SentRequest } from '@hookline/testing/network/http-exchange'

/** One client library's request as sent on the wire, and the payloads that must arrive for it. */
export interface WireCapture {
  readonly client: string
  readonly path: string
  readonly request: SentRequest
  /** The headers of a browser's preflight request. */
  readonly preflight?: Readonly<Record<string, string>>
  /** Expected members of the payloads, by messageId. */
  readonly payloads: Readonly<Record<string, object>>
}

/** The values that a test inserts into a capture: the write key and the time. */
export interface Sender {
  readonly writeKey: string
  /** The `Authorization` header: the key as Basic user name, without a password. */
  readonly authorization: string
  /** ISO 8601, UTC, with milliseconds. */
  readonly now: string
}
