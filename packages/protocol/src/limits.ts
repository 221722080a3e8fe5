/** The limits of a call and a batch. Apart from the others, so that the client library bundles no more than these. */
export const CALL_LIMITS = {
  /** One call, in bytes of its JSON. */
  messageBytes: 32 * 1024,
  /** One batch request of a client, in bytes after decompression. */
  batchBytes: 500 * 1024,
  /** Calls in one batch request. */
  batchMessages: 2500,
  /** Levels of objects and arrays in one call, including the call itself. */
  nestingLevels: 64,
  messageIdCharacters: 100,
} as const

/** The limits of the ingestion API, of a Webhooks destination and of audiences. Sources: requirements §Limits, spec 01, 02 and 08. */
export const LIMITS = {
  ...CALL_LIMITS,
  /**
   * One request that the server takes, in bytes after decompression: 512 KB of calls, because some libraries count only these,
   * and 32 KB of what a batch has besides.
   */
  requestBytes: (512 + 32) * 1024,
  webhooksPerDestination: 5,
  headersPerWebhook: 5,
  webhookUrlCharacters: 2048,
  headerValueCharacters: 1024,
  /** From the start of an attempt to the last response header. */
  attemptTimeoutMs: 5_000,
  /** How long a delivery is retried, from the time it first became due. */
  retryWindowMs: 4 * 60 * 60 * 1000,
  /** The longest retry window that a setting may choose. */
  maxRetryWindowMs: 24 * 60 * 60 * 1000,
  /** No body of a delivery is larger: a receiver that takes as much takes everything. */
  payloadBytes: 4 * 1024 * 1024,
  /** How long a deletion notice is retried. */
  noticeRetryWindowMs: 7 * 24 * 60 * 60 * 1000,
  usersPerDeletion: 5_000,
  /** Audiences and computed traits of one service. */
  computations: 1_000,
  /** Destinations of one audience or computed trait. */
  destinationsPerComputation: 50,
  /** Users that one request adds to the list of a manual audience, or removes from it. */
  usersPerListChange: 5_000,
  /** The longest time for which a replaced shared secret also signs. */
  maxSecretOverlapMs: 168 * 60 * 60 * 1000,
  /** Levels of a condition: its `and`, `or` and `not`, and the clauses in them. */
  conditionLevels: 10,
  conditionClauses: 50,
  filtersPerClause: 20,
  /** Characters of a name, a path or a text in a condition. */
  conditionTextCharacters: 500,
  /** Characters of the JSON of a list or an object that a condition compares with. */
  conditionValueCharacters: 5_000,
  oneOfValues: 100,
  /** The greatest number that a number of events is compared with. */
  countedEvents: 10_000,
  /** The longest sliding window of a condition or a computed trait, and the most days of `within_last_days`. */
  windowDays: 3_650,
  /** The newest events of a user that a clause of a condition keeps, at least: one more than it compares with. */
  leastFactsPerClause: 100,
  /** The newest events of a user that a computed trait is made of. */
  factsPerComputedTrait: 10_000,
  /** Characters of the JSON of a property that a computed trait is made of. It ignores longer values. */
  factValueCharacters: 500,
  /** Values of a computed trait made by `unique_list`. */
  uniqueListValues: 1_000,
  /** Characters of the key of an audience or a computed trait. */
  keyCharacters: 100,
} as const
