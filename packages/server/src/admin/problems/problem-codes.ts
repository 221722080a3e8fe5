/** The management API's error codes, for its responses and docs/reference/errors.md. `help` is the remedy. */
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
    help: 'Correct the query parameters listed in errors. pointer is the name of the parameter.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor does not belong to this list.',
    help: 'Pass the nextCursor from the previous page, unchanged, to the same list, or start again without a cursor.',
  },
  unauthorized: {
    status: 401,
    title: 'Missing or invalid token.',
    help: 'Send Authorization: Bearer <token> with a token from POST /tokens, or the admin token: the adminToken setting, or <dataDir>/admin-token.',
  },
  forbidden: {
    status: 403,
    title: "The token's role does not allow this.",
    help: 'Use a token with a higher role: viewers read, editors also change records, admins also manage tokens and data.',
  },
  csrf_token_missing: {
    status: 403,
    title: 'The CSRF token is missing or invalid.',
    help: 'Send X-CSRF-Token with the value from GET /session. Programs use a token instead of a session.',
  },
  not_found: {
    status: 404,
    title: 'Not found.',
    help: 'Check the path and the id; the record may have been deleted. /api/v1/openapi.json lists all routes.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed.',
    help: 'Use a method listed in the Allow header. /api/v1/openapi.json lists all routes.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time.',
    help: 'Send the whole request within the time in the requestTimeout setting.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with another one.',
    help: 'Retry the request. With If-Match, it fails if the record has changed since you read it.',
  },
  invalid_state: {
    status: 409,
    title: "The record's state does not allow this.",
    help: 'Fetch the record; detail explains what to do.',
  },
  rotation_in_progress: {
    status: 409,
    title: 'A rotation is in progress.',
    help: 'Wait until the time in detail: receivers may still use the previous secret or key, or may already have the next key. If one of them may have leaked, force the rotation.',
  },
  request_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is in progress.',
    help: 'Send it again after the time in Retry-After to get the response to the first request.',
  },
  response_not_stored: {
    status: 409,
    title: 'The request already succeeded, but its response was not stored.',
    help: 'Fetch the record: Location has its path if it was created. Responses with user data are not stored for an Idempotency-Key. To run the request again, use a new key.',
  },
  backup_unsupported: {
    status: 409,
    title: 'This backend does not support backup files.',
    help: 'Back up the data with the programs listed in the detail field.',
  },
  version_mismatch: {
    status: 412,
    title: 'The record has changed since it was read.',
    help: 'Read it again and send the change with the new ETag in If-Match.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large.',
    help: 'The limit is 1 MiB (1,048,576 bytes), or 32 MiB (33,554,432 bytes) for PUT /import.',
  },
  unsupported_media_type: {
    status: 415,
    title: "The body's content type is not supported.",
    help: 'Send JSON with Content-Type: application/json.',
  },
  invalid_body: {
    status: 422,
    title: 'Invalid request body.',
    help: 'Correct the fields listed in errors. pointer locates the field, hint explains the fix.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for a different request.',
    help: 'Use a new key for each request; reuse a key only to repeat the same request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests.',
    help: 'Wait for the time in Retry-After. Operators can raise two limits: adminRateLimit, and maxLiveStreams for the live tail.',
  },
  too_many_auth_failures: {
    status: 429,
    title: 'Too many requests with an invalid token from this address.',
    help: 'Send a valid token: this limit does not apply to it. Operators can change the limit with the maxAuthFailuresPerMinute setting.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large.',
    help: 'Keep all headers of a request below 16 KiB.',
  },
  internal_error: {
    status: 500,
    title: 'Internal server error.',
    help: 'Send the request again. Operators can find the cause in the log, under the same requestId, or in an entry for the same error up to 10 seconds earlier.',
  },
  wrong_node: {
    status: 503,
    title: 'This cluster node does not serve the management API.',
    help: 'Send the request to a node whose role setting is api or all.',
  },
  unavailable: {
    status: 503,
    title: 'The database is temporarily unavailable.',
    help: 'Send the request again after the time in Retry-After. Operators: check /readyz, the free disk space and the log.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>

export type ProblemCodeName = keyof typeof PROBLEM_CODES
