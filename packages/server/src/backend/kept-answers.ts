/** An answer that is given again when a request comes again with the same Idempotency-Key. */
export interface KeptAnswer {
  /** Who asked, and with which key, as one text. */
  readonly key: string
  /** Tells one request from another: the same request has the same one. */
  readonly fingerprint: string
  /** The answer, sealed by whoever keeps it. */
  readonly sealed: string
  /** When it is forgotten, in milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Answers of the last hours, by Idempotency-Key. */
export interface KeptAnswers {
  /** Keeps it unless one with this key is there, and forgets what has expired at `now`. Durable when it resolves. */
  keep(answer: KeptAnswer, now: number): Promise<void>
  /** The answer with this key, where it has not expired at `now`. */
  find(key: string, now: number): Promise<KeptAnswer | undefined>
}
