/** The response to a request with an `Idempotency-Key`. A repeated request gets the same response again. */
export interface IdempotentResponse {
  /** The token's id and the `Idempotency-Key`, as one text. */
  readonly key: string
  /** A hash of the request: it shows when the key is used for a different request. */
  readonly fingerprint: string
  /** The response, encrypted by the caller. */
  readonly sealed: string
  /** When the backend forgets it, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** A response, and the time at which older ones have expired, in milliseconds since the epoch. */
export interface ResponseToKeep {
  readonly response: IdempotentResponse
  readonly now: number
}

/** A change was not made: there is a response with the `Idempotency-Key` of its request. */
export class ResponseKept extends Error {
  override readonly name = 'ResponseKept'
}

/** Responses that have not expired, by `Idempotency-Key`. */
export interface IdempotentResponses {
  /**
   * Reserves the key for a request that begins, so that no other one with it begins on any node, until `release`, or until the
   * time `until` where the node dies. Resolves to whether it did: not where the key is reserved, or has a response.
   */
  reserve(key: string, times: { readonly now: number; readonly until: number }): Promise<boolean>
  /** Ends the reservation that this node has made. Safe to call twice. */
  release(key: string): Promise<void>
  /**
   * Keeps the response, and removes those that have expired at `now`. Durable when it resolves. Safe to call twice: of
   * two responses with the same key the first one stays. An `AuditEntry` keeps the response of its change in one transaction.
   */
  add(kept: ResponseToKeep): Promise<void>
  /** The response with this key; `undefined` where there is none or it has expired at `now`. */
  find(key: string, now: number): Promise<IdempotentResponse | undefined>
}
