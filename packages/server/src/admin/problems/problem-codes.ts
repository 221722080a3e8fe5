/** What went wrong with a request to the management API. `help` is the remedy, as docs/errors.md gives it. */
export interface ProblemCode {
  readonly status: 400 | 401 | 403 | 404 | 408 | 409 | 412 | 413 | 415 | 422 | 429 | 431 | 500 | 503
  readonly title: string
  readonly help: string
}

/** Every code the management API answers with: the one table behind its responses and the docs. */
export const PROBLEM_CODES = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    help: 'Send UTF-8 JSON with Content-Type: application/json.',
  },
  bad_request: {
    status: 400,
    title: 'The request cannot be read.',
    help: 'Check the path, its percent-encoding and the headers.',
  },
  invalid_query: {
    status: 400,
    title: 'The query has faults.',
    help: 'Correct what errors names: each pointer is the name of a query parameter.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not one of this list.',
    help: 'Pass nextCursor of the page before, unchanged, to the same list; begin again without one.',
  },
  unauthorized: {
    status: 401,
    title: 'The token is missing or not valid.',
    help: 'Send Authorization: Bearer <token> with a token made by POST /tokens, or the admin token: the setting adminToken, or <dataDir>/admin-token.',
  },
  forbidden: {
    status: 403,
    title: 'The role of the token does not allow this.',
    help: 'Use a token with a higher role: viewers read, editors change things, admins manage tokens and data.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing here.',
    help: 'Check path, method and id; what was removed is gone. /api/v1/openapi.json lists all routes.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time.',
    help: 'Send the whole request within the time the setting requestTimeoutMs allows.',
  },
  conflict: {
    status: 409,
    title: 'Others keep changing this at the same time.',
    help: 'Send the request again; with If-Match you learn what has changed.',
  },
  wrong_state: {
    status: 409,
    title: 'Its state does not allow this.',
    help: 'Look at its state; detail says what has to happen first.',
  },
  request_under_way: {
    status: 409,
    title: 'A request with this Idempotency-Key is being answered.',
    help: 'Send it again after Retry-After: it is then answered as the first one was.',
  },
  version_mismatch: {
    status: 412,
    title: 'This has changed since it was read.',
    help: 'Read it again and send the change with the new ETag in If-Match.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large.',
    help: 'Keep it at 1 MB (1,048,576 bytes) or less.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is of a type that is not taken.',
    help: 'Send JSON with Content-Type: application/json.',
  },
  invalid_body: {
    status: 422,
    title: 'The body has faults.',
    help: 'Correct what errors names: each pointer leads into the body, each hint is a remedy.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Another request has had this Idempotency-Key.',
    help: 'Use a new key for each request; send the same one only with the same request.',
  },
  rate_limited: {
    status: 429,
    title: 'The token asks too often.',
    help: 'Wait as long as Retry-After says. The operator raises the limit with the setting adminRateLimit.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large.',
    help: 'Keep all headers of a request below 16 KB.',
  },
  internal_error: {
    status: 500,
    title: 'The server met an error of its own.',
    help: 'Send it again. The operator finds the cause in the log, under the same requestId.',
  },
  unavailable: {
    status: 503,
    title: 'The change or the answer cannot be had at the moment.',
    help: 'Send it again after Retry-After. The operator looks at /readyz, free disk space and the log.',
  },
} as const satisfies Record<string, ProblemCode>

export type ProblemCodeName = keyof typeof PROBLEM_CODES
