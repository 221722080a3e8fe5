import type { Problem } from '@hookline/cli/management-client'

/** A response of the management API that is no success, or no response at all. */
export class ApiProblem extends Error {
  /** The HTTP status; 0 where there was no response. */
  readonly status: number
  /** The code of docs/reference/errors.md; `unreachable` where there was no response. */
  readonly code: string
  readonly requestId: string | undefined
  /** What is wrong with each field. */
  readonly errors: Problem['errors']

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `The service responded with status ${status}.`)
    this.name = 'ApiProblem'
    this.status = status
    this.code = problem.code ?? 'unknown'
    this.requestId = problem.requestId
    this.errors = problem.errors ?? []
  }
}

/** The problem that a thrown value stands for. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  const detail = 'The service does not respond. The console tries again by itself.'
  return new ApiProblem(0, { code: 'unreachable', detail })
}

/** What is wrong with the field at a JSON Pointer, with what to do about it. */
export function faultAt(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const found = error.errors.find((each) => each.pointer === pointer)
  return found && [found.message, found.hint].filter(Boolean).join(' ')
}
