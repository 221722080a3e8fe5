import { isJsonObject } from '@hookline/protocol'
import { Failure, type FailureDetail } from '../failure.ts'
import { foreignAnswer } from './foreign-answer.ts'
import type { HttpAnswer } from './http-call.ts'

/** An answer of the management API other than success (RFC 9457). */
interface ProblemShown {
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly errors?: readonly FailureDetail[]
}

/** The failure that such an answer stands for. */
export function problemFailure({ status, body }: HttpAnswer): Failure {
  if (!isProblem(body)) return foreignAnswer(status)
  const { code, title, detail, errors: details = [] } = body
  if (details.length > 0) return new Failure('failed', title, { code, details })
  return new Failure(meaningOf(status), title, { code, hint: hintOf(status, detail) })
}

function isProblem(body: unknown): body is ProblemShown {
  if (!isJsonObject(body)) return false
  return [body['code'], body['title'], body['detail']].every((field) => typeof field === 'string')
}

function meaningOf(status: number): 'auth' | 'not found' | 'failed' {
  if (status === 401 || status === 403) return 'auth'
  return status === 404 ? 'not found' : 'failed'
}

function hintOf(status: number, detail: string): string {
  if (status !== 401) return detail
  return 'Name the file that holds the token of this service with --token-file, or its folder with --data-dir; or set HOOKLINE_ADMIN_TOKEN.'
}
