/** The response to a request with an `Idempotency-Key`, returned again to repeated requests. */
export interface IdempotentResponse {
  /** The token's id and the `Idempotency-Key`, as one string. */
  readonly key: string
  /** A hash of the request, to detect a different request with the key. */
  readonly fingerprint: string
  readonly sealed: string
  readonly expiresAt: number
}

export interface ResponseToStore {
  readonly response: IdempotentResponse
  readonly now: number
}

/** A change was not made, because its request's `Idempotency-Key` already has a response. */
export class ResponseAlreadyStoredError extends Error {
  override readonly name = 'ResponseAlreadyStoredError'
}

/** Responses that have not expired, by `Idempotency-Key`. */
export interface IdempotentResponses {
  /** Reserves the key on all nodes until `release` or `until`. Resolves to false if it is reserved or has a response. */
  reserve(key: string, times: { readonly now: number; readonly until: number }): Promise<boolean>
  release(key: string): Promise<void>
  /**
   * Stores the response, unless the key has one. A response in an `AuditEntry` is stored with its
   * change instead.
   */
  add(stored: ResponseToStore): Promise<void>
  find(key: string, now: number): Promise<IdempotentResponse | undefined>
}
