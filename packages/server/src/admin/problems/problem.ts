import type { IngestCodeName } from '@hookline/protocol'
import type { FieldError } from '../../util/field-error.ts'
import { PROBLEM_CODES, type ProblemCodeName } from './problem-codes.ts'

// A hostile body can have 100,000 errors.
const MAX_ERRORS = 100

interface ProblemOptions extends ErrorOptions {
  /** Why this request is refused. Defaults to the `help` of the code. */
  readonly detail?: string
  readonly errors?: readonly FieldError[]
  readonly headers?: Readonly<Record<string, string>>
}

/** An error response, thrown by a route: application/problem+json (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCodeName
  readonly statusCode: number
  readonly errors: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCodeName, options: ProblemOptions = {}) {
    super(options.detail ?? PROBLEM_CODES[code].help, options)
    this.code = code
    this.statusCode = PROBLEM_CODES[code].status
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
  }

  /** The body of the response. */
  document(requestId: string): object {
    return {
      type: `urn:hookline:problem:${this.code}`,
      title: PROBLEM_CODES[this.code].title,
      status: this.statusCode,
      code: this.code,
      detail: this.message,
      requestId,
      errors: this.errors.slice(0, MAX_ERRORS),
    }
  }
}

/** Returns the record. @throws {Problem} `not_found` with this detail if it is undefined */
export function requireFound<T>(record: T | undefined, detail: string): T {
  if (record === undefined) throw new Problem('not_found', { detail })
  return record
}

/** The response to an error that occurs before a route of the management API runs. */
export function problemFormat(code: IngestCodeName, { requestId }: { readonly requestId: string }) {
  const problem = new Problem(code in PROBLEM_CODES ? (code as ProblemCodeName) : 'internal_error')
  return {
    status: problem.statusCode,
    contentType: 'application/problem+json; charset=utf-8',
    body: JSON.stringify(problem.document(requestId)),
  }
}
