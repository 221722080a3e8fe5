import type { SentRequest } from '../../harness/http-exchange.ts'

/** What one client library puts on the wire, and what must arrive for it. */
export interface WireCapture {
  readonly client: string
  readonly path: string
  readonly request: SentRequest
  /** The headers with which a browser asks before. */
  readonly preflight?: Readonly<Record<string, string>>
  /** Members of the payloads, by messageId. */
  readonly payloads: Readonly<Record<string, object>>
}

/** What differs from sender to sender: its key, and its clock. */
export interface Sender {
  readonly writeKey: string
  /** The key as the user of Basic authentication, without a password. */
  readonly authorization: string
  /** ISO 8601, UTC, with milliseconds. */
  readonly now: string
}
