import type { IngestCodeName } from '@hookline/protocol'
import { Problem } from './problem.ts'
import type { ProblemCodeName } from './problem-codes.ts'

/** The problem code for each error that the HTTP server finds before a route runs. */
const CODES: Partial<Record<IngestCodeName, ProblemCodeName>> = {
  bad_request: 'bad_request',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  request_timeout: 'request_timeout',
  headers_too_large: 'headers_too_large',
  wrong_node: 'wrong_node',
}

/** The error response for a request to the management API that reaches none of its routes. */
export function problemForm(
  code: IngestCodeName,
  { requestId }: { readonly requestId: string },
): { readonly status: number; readonly contentType: string; readonly body: string } {
  const problem = new Problem(CODES[code] ?? 'internal_error')
  return {
    status: problem.statusCode,
    contentType: 'application/problem+json; charset=utf-8',
    body: JSON.stringify(problem.document(requestId)),
  }
}
