/** Why the ingestion API rejected a call or a request. docs/reference/errors.md shows `help` as the remedy. */
export interface IngestCode {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 421 | 429 | 431 | 500 | 503
  readonly message: string
  readonly help: string
}

/** The ingestion API's error codes. Responses and docs are generated from this table. */
export const INGEST_CODES = {
  invalid_json: {
    status: 400,
    message: 'The body is not valid JSON.',
    help: 'Send UTF-8 JSON. If you set Content-Encoding, use gzip, deflate or br, and compress the body accordingly.',
  },
  number_not_finite: {
    status: 400,
    message: 'The call contains NaN, Infinity, or a number too large for JSON parsers.',
    help: 'Omit the field, or send null or a string. A number such as 1e400 would arrive as null: JSON parsers usually cannot represent numbers above about 1.8e308. The other calls in the batch are stored.',
  },
  not_an_object: {
    status: 400,
    message: 'A call must be a JSON object.',
    help: 'Send one object per call; a batch is {"batch": [call, …]}.',
  },
  empty_batch: {
    status: 400,
    message: 'The batch has no calls.',
    help: 'Send {"batch": […]} with at least one call.',
  },
  batch_too_large: {
    status: 400,
    message: 'The request is too large.',
    help: 'Flush more often: a request may be at most 544 KiB (557,056 bytes) after decompression, and should be less than 500 KiB. The context and integrations of a batch are stored with each of its calls: all copies together may take up to 2,000 KiB (2,048,000 bytes).',
  },
  message_too_large: {
    status: 400,
    message: 'The call is too large.',
    help: 'Send at most 32 KiB (32,768 bytes) of JSON in a call. The limit applies to the stored form: with the context and integrations of its batch, and with numbers such as 1e20 written out. Send a reference instead of large content.',
  },
  too_many_messages: {
    status: 400,
    message: 'The batch has too many calls.',
    help: 'Send at most 2,500 calls in one request.',
  },
  nested_too_deep: {
    status: 400,
    message: 'The call is nested too deeply.',
    help: 'Nest objects and arrays at most 64 levels deep.',
  },
  unknown_type: {
    status: 400,
    message: 'Unknown call type.',
    help: 'Use identify, track, page, screen, group or alias. Deletions have their own API.',
  },
  no_user_anon_id: {
    status: 400,
    message: 'The call has neither userId nor anonymousId.',
    help: 'Send a userId, an anonymousId, or both. An empty string does not count.',
  },
  id_required: {
    status: 400,
    message: 'An id required by this call type is missing.',
    help: 'group requires groupId; alias requires userId and previousId.',
  },
  id_not_string: {
    status: 400,
    message: 'An id is neither a string nor a number.',
    help: 'Send userId, anonymousId, groupId, previousId and messageId as strings.',
  },
  id_not_exact: {
    status: 400,
    message: 'An id is a number that JSON parsers would round: send it as a string.',
    help: 'Send userId, anonymousId, groupId, previousId and messageId as strings. A number above 9007199254740991, or with more than about 15 digits, could become the id of another user or call.',
  },
  id_not_unicode: {
    status: 400,
    message: 'An id contains invalid UTF-8 or a lone surrogate.',
    help: 'Send userId, anonymousId, groupId, previousId and messageId as valid Unicode, in UTF-8. A lone surrogate such as \\ud83d means that a program cut an emoji in two. Truncate ids between characters: otherwise the id could match another user.',
  },
  id_control_character: {
    status: 400,
    message: 'An id contains a control character, such as NUL, a tab or a newline.',
    help: 'Remove U+0000 to U+001F and U+007F to U+009F from userId, anonymousId, groupId, previousId and messageId. They often mean that a file or a variable was read in the wrong format.',
  },
  event_not_defined: {
    status: 400,
    message: 'A track call has no event name.',
    help: 'Send event as a non-empty string.',
  },
  event_not_string: {
    status: 400,
    message: 'The event name is not a string.',
    help: 'Send event as a string.',
  },
  properties_not_object: {
    status: 400,
    message: 'properties is not an object.',
    help: 'Send properties as a JSON object, or omit it.',
  },
  traits_not_object: {
    status: 400,
    message: 'traits is not an object.',
    help: 'Send traits as a JSON object, or omit it.',
  },
  context_not_object: {
    status: 400,
    message: 'context is not an object.',
    help: 'Send context as a JSON object, or omit it.',
  },
  integrations_not_object: {
    status: 400,
    message: 'integrations is not an object.',
    help: 'Send integrations as {"All": false, "Webhooks": true}, or omit it.',
  },
  name_not_string: {
    status: 400,
    message: 'name is not a string.',
    help: 'Send name as a string, or omit it.',
  },
  category_not_string: {
    status: 400,
    message: 'category is not a string.',
    help: 'Send category as a string, or omit it.',
  },
  message_id_too_long: {
    status: 400,
    message: 'messageId is too long.',
    help: 'Use at most 100 characters for messageId.',
  },
  timestamp_invalid: {
    status: 400,
    message: 'Invalid timestamp.',
    help: "Send ISO 8601, for example 2026-11-21T09:30:00.000Z. The API returns this error only with X-Strict-Mode: 1. Hookline's client libraries always check timestamps.",
  },
  unknown_write_key: {
    status: 401,
    message: 'The write key is missing or unknown.',
    help: 'Use the write key of an existing source. Clients send it as the user name of Basic authentication, or in the body.',
  },
  source_disabled: {
    status: 403,
    message: 'The source is disabled.',
    help: 'Enable the source, or send calls to another one.',
  },
  rate_limited: {
    status: 429,
    message: 'The source is exceeding its rate limit.',
    help: "Wait for the time in Retry-After, or raise the source's rateLimit.",
  },
  overloaded: {
    status: 503,
    message: 'The call cannot be stored at the moment.',
    help: 'Send it again after the time in Retry-After. Operators: check /readyz, the free disk space and the log.',
  },
  not_found: {
    status: 404,
    message: 'Not found.',
    help: 'Send calls to /v1/identify, track, page, screen, group, alias or batch.',
  },
  method_not_allowed: {
    status: 405,
    message: 'Method not allowed.',
    help: 'Send calls with POST.',
  },
  bad_request: {
    status: 400,
    message: 'The request could not be read.',
    help: 'Check that the client speaks HTTP/1.1 to this port, without TLS, and sends a valid request.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    help: 'Send the whole request within the time set by requestTimeout.',
  },
  wrong_host: {
    status: 421,
    message: 'The Host header is invalid or not allowed.',
    help: 'For /metrics and /readyz, use an IP address, or add the host name to the allowedHosts setting. For /v1/projects/…/settings, send a host with an optional port.',
  },
  wrong_node: {
    status: 503,
    message: 'This cluster node does not serve this path.',
    help: 'Send calls to nodes with the ingest or all role, and requests to the management API to nodes with the api or all role.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers are too large.',
    help: 'Keep all headers of a request below 16 KiB.',
  },
  internal_error: {
    status: 500,
    message: 'Internal server error.',
    help: 'Send it again. Operators can find the cause in the log, under the same request id, or in an entry for the same error up to 10 seconds earlier.',
  },
} as const satisfies Record<string, IngestCode>

export type IngestCodeName = keyof typeof INGEST_CODES

/** The body of an error response from the ingestion API. Client libraries read `code`, `message` and `error`. */
export interface IngestError {
  readonly success: false
  readonly code: IngestCodeName
  readonly message: string
  /** Code and message together. */
  readonly error: string
}

/** The body of an error response. A reason is appended to the message of the code. */
export function ingestError(code: IngestCodeName, reason?: string): IngestError {
  const meaning = INGEST_CODES[code].message
  const message = reason === undefined ? meaning : `${meaning.replace(/\.$/, '')}: ${reason}`
  return { success: false, code, message, error: `${code}: ${message}` }
}
