import type { Problem } from '@hookline/cli/management-client'

/** An error response from the management API, or no response. */
export class ApiProblem extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number
  /**
   * A code from docs/reference/errors.md, `unreachable` without a response, `unexpected`, or
   * `unknown` for a response without a code.
   */
  readonly code: string
  readonly requestId: string | undefined
  readonly errors: Problem['errors']
  /** From Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, problem: Partial<Problem>, retryAfterSeconds?: number) {
    super(problem.detail ?? problem.title ?? `The service responded with status ${status}.`)
    this.name = 'ApiProblem'
    this.status = status
    this.code = problem.code ?? 'unknown'
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Any other error is `unexpected`: a bug in the console, or a response that was cut off. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem(0, { code: 'unexpected', detail: String(error) })
}

export function unreachableProblem(): ApiProblem {
  return new ApiProblem(0, { code: 'unreachable', detail: 'The service is not responding.' })
}

/** The message and the hint for the field at a JSON Pointer. */
export function errorAt(error: unknown, pointer: string): string | undefined {
  return errorWhere(error, (each) => each === pointer)
}

/** The message and the hint of the first error in a field that is entered as JSON. */
export function errorIn(error: unknown, pointer: string): string | undefined {
  return errorWhere(error, (each) => `${each}/`.startsWith(`${pointer}/`))
}

function errorWhere(error: unknown, matches: (pointer: string) => boolean): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const found = error.errors.find(({ pointer }) => matches(pointer))
  return found && [found.message, found.hint].filter(Boolean).join(' ')
}
