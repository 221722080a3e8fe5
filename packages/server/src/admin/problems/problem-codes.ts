/** All error codes of the management API, for its responses and docs/reference/errors.md. `help` is the remedy. */
export const PROBLEM_CODES = {
  invalid_json: {
    status: 400,
    title: 'The body is not valid JSON.',
    help: 'Send UTF-8 JSON with Content-Type: application/json.',
  },
  bad_request: {
    status: 400,
    title: 'The request cannot be parsed.',
    help: 'Check the headers, and the percent-encoding of the path and the query.',
  },
  invalid_query: {
    status: 400,
    title: 'Invalid query parameters.',
    help: 'Correct each entry of errors: its pointer is the name of a query parameter.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list.',
    help: 'Pass nextCursor of the previous page, unchanged, to the same list; or start again without a cursor.',
  },
  unauthorized: {
    status: 401,
    title: 'The token is missing or not valid.',
    help: 'Send Authorization: Bearer <token> with a token from POST /tokens, or the admin token: the setting adminToken, or <dataDir>/admin-token.',
  },
  forbidden: {
    status: 403,
    title: 'The role of the token does not allow this.',
    help: 'Use a token with a higher role: viewers read, editors change things, admins manage tokens and data.',
  },
  csrf_token_missing: {
    status: 403,
    title: 'The change lacks the CSRF token of the session.',
    help: 'Send X-CSRF-Token with the value from GET /session. Programs use a token instead of a session.',
  },
  not_found: {
    status: 404,
    title: 'Not found.',
    help: 'Check path and id; the record may have been removed. /api/v1/openapi.json lists all routes.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed.',
    help: 'Use a method that the header Allow names. /api/v1/openapi.json lists all routes.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time.',
    help: 'Send the whole request within the setting requestTimeout.',
  },
  conflict: {
    status: 409,
    title: 'Other requests changed the record at the same time.',
    help: 'Send the request again; with If-Match, only the version that you read is changed.',
  },
  invalid_state: {
    status: 409,
    title: 'The state of the record does not allow this.',
    help: 'Read the record; detail explains the next step.',
  },
  request_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress.',
    help: 'Send it again after Retry-After to receive the response of the first request.',
  },
  response_not_stored: {
    status: 409,
    title: 'The request succeeded before, but its response was not stored.',
    help: 'Read the record, at Location if it was created. Responses with user data are not stored for an Idempotency-Key. To run the request again, use a new key.',
  },
  backup_unsupported: {
    status: 409,
    title: 'This backend does not support backup files.',
    help: 'Back up the data with the programs named in detail.',
  },
  version_mismatch: {
    status: 412,
    title: 'The record has changed since it was read.',
    help: 'Read it again and send the change with the new ETag in If-Match.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large.',
    help: 'Keep it at 1 MB (1,048,576 bytes) or less; a document for PUT /import at 32 MB (33,554,432 bytes).',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type of the body is not supported.',
    help: 'Send JSON with Content-Type: application/json.',
  },
  invalid_body: {
    status: 422,
    title: 'Invalid request body.',
    help: 'Correct each entry of errors: its pointer is the place in the body, its hint is the remedy.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for a different request.',
    help: 'Use a new key for each request; send the same one only with the same request.',
  },
  rate_limited: {
    status: 429,
    title: 'The token has sent too many requests.',
    help: 'Wait for Retry-After. The operator can raise the limit with the setting adminRateLimit.',
  },
  too_many_wrong_tokens: {
    status: 429,
    title: 'Too many requests with a wrong token from this address.',
    help: 'Send a valid token, which is never limited. The operator sets the limit with maxAuthFailuresPerMinute.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large.',
    help: 'Keep all headers of a request below 16 KB.',
  },
  internal_error: {
    status: 500,
    title: 'The server failed with an unexpected error.',
    help: 'Send the request again. The operator finds the cause in the log, under the same requestId.',
  },
  wrong_node: {
    status: 503,
    title: 'This node of the cluster does not serve the management API.',
    help: 'Send the request to a node whose setting role is api or all.',
  },
  unavailable: {
    status: 503,
    title: 'The database is not available at the moment.',
    help: 'Send the request again after Retry-After. The operator checks /readyz, free disk space and the log.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>

export type ProblemCodeName = keyof typeof PROBLEM_CODES
