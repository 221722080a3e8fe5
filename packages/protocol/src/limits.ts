/** The limits of a call and a batch. Separate, so that the client library does not bundle the others. */
export const CALL_LIMITS = {
  /** One call, in bytes of its JSON. */
  messageBytes: 32 * 1024,
  /**
   * The default `maxBatchBytes` of the client library: one batch request, in bytes before compression.
   * The server accepts `LIMITS.requestBytes`.
   */
  batchBytes: 500 * 1024,
  /** Calls in one batch request. */
  batchMessages: 2500,
  /** Levels of objects and arrays in one call, including the call itself. */
  nestingLevels: 64,
  messageIdCharacters: 100,
} as const

/** The limits of the ingestion API, of a Webhooks destination and of audiences. */
export const LIMITS = {
  ...CALL_LIMITS,
  /**
   * One request to the server, in bytes after decompression: 512 KiB of calls, because some libraries count only these, and
   * 32 KiB for the other fields in a batch.
   */
  requestBytes: (512 + 32) * 1024,
  webhooksPerDestination: 5,
  headersPerWebhook: 5,
  webhookUrlCharacters: 2048,
  /** The URL of a request, after its placeholders were filled in. */
  filledUrlCharacters: 8_192,
  headerValueCharacters: 1024,
  /** A user name, password, token or any other string in a webhook's `auth`. */
  authCharacters: 4_096,
  /** A client certificate with its intermediate certificates, or its key, as PEM. */
  pemCharacters: 32_768,
  /** From the start of an attempt to the last response header. */
  attemptTimeoutMs: 5_000,
  /** How long a delivery is retried, from the time it first became due. */
  retryWindowMs: 4 * 60 * 60 * 1000,
  /** The maximum retry window in the settings. */
  maxRetryWindowMs: 24 * 60 * 60 * 1000,
  /** The limits of a webhook. */
  minAttemptsPerSecond: 0.5,
  maxAttemptsPerSecond: 1_000,
  maxWebhookConcurrency: 16_384,
  minWebhookTimeoutMs: 100,
  maxWebhookTimeoutMs: 30_000,
  /** The retry window of a webhook must also be shorter than retention. */
  maxWebhookRetryWindowMs: 7 * 24 * 60 * 60 * 1000,
  retryDelaysPerWebhook: 20,
  /** Maximum number of repeats of the last delay in `retrySchedule`. In a long window, the delay is increased to fit. */
  repeatsOfLastDelay: 500,
  minRetryDelayMs: 1_000,
  maxRetryDelayMs: 24 * 60 * 60 * 1000,
  statusesToRetry: 20,
  /** The maximum size of a webhook body. */
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
  /** The current key, and the next or the previous key. */
  signingKeysPerDestination: 2,
  /** The maximum time for which requests are also signed with a replaced secret or key, or for which a key is published before it signs. */
  maxSecretOverlapMs: 168 * 60 * 60 * 1000,
  /** Levels in a condition: `and`, `or`, `not`, and the clauses in them. */
  conditionLevels: 10,
  conditionClauses: 50,
  filtersPerClause: 20,
  /** Paths that a destination keeps, drops or hashes. */
  pathsPerRule: 100,
  /** The JSONata expression of a destination. */
  transformCharacters: 8_192,
  /** CPU time of one evaluation of a transform. */
  transformMs: 10,
  /** The memory of one evaluation of a transform. */
  transformBytes: 16 * 1024 * 1024,
  /** Fields that a test delivery lists because a transform gets their numbers as text. */
  precisionLostFields: 20,
  /** Comparisons in a destination's filter. */
  filterComparisons: 100,
  /** Event names per source in the catalog, and properties per name. Further names are counted together. */
  eventNamesPerSource: 1_000,
  propertiesPerEventName: 100,
  /** Longer names of events and properties are not in the catalog. */
  catalogNameCharacters: 200,
  /** Event names in a clause of a destination's filter. */
  eventNamesPerClause: 100,
  /** Characters in a name, a path or a string of a condition. */
  conditionTextCharacters: 500,
  /** Characters in the JSON of a list or an object that a condition compares with. */
  conditionValueCharacters: 5_000,
  oneOfValues: 100,
  /** The maximum number that a count of events can be compared with. */
  countedEvents: 10_000,
  /** The maximum sliding window of a condition or a computed trait, and of `within_last_days`. */
  windowDays: 3_650,
  /** A clause keeps this many of a user's newest events, or one more than the count it compares with, if that is more. */
  minFactsPerClause: 100,
  /** The number of a user's newest events that a computed trait is computed from. */
  factsPerComputedTrait: 10_000,
  /** Characters in the JSON of a property value. Computed traits ignore longer values. */
  factValueCharacters: 500,
  /** Values of a computed trait with `unique_list`. */
  uniqueListValues: 1_000,
  /** Characters in the key of an audience or a computed trait. */
  keyCharacters: 100,
} as const
