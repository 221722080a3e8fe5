/** The response to a request with an `Idempotency-Key`. A repeated request gets the same response again. */
export interface IdempotentResponse {
  /** The token's id and the `Idempotency-Key`, as one text. */
  readonly key: string
  /** Equal for equal requests: it shows where a key is used again for another request. */
  readonly fingerprint: string
  /** The response, sealed by the caller. */
  readonly sealed: string
  /** When the backend forgets it, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Responses of the last hours, by `Idempotency-Key`. */
export interface IdempotentResponses {
  /**
   * Keeps the response, and removes those that have expired at `now`. Durable when it resolves. Safe to call twice: of
   * two responses with the same key the first one stays.
   */
  add(response: IdempotentResponse, now: number): Promise<void>
  /** The response with this key; `undefined` where there is none, or it has expired at `now`. */
  find(key: string, now: number): Promise<IdempotentResponse | undefined>
}
