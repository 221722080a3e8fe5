import { isJsonObject } from '@hookline/protocol'
import { Failure } from '../failure.ts'
import { notHookline } from './connection-failure.ts'
import type { Problem } from './generated/management-client.ts'

/** The fields of a Problem document (RFC 9457) that are shown. */
type ShownProblem = Pick<Problem, 'code' | 'title' | 'detail'> & Partial<Pick<Problem, 'errors'>>

/** The failure for an error response of the management API. */
export function problemFailure(status: number, body: unknown): Failure {
  if (!isProblem(body)) return notHookline(status)
  const { code, title, detail, errors: details = [] } = body
  if (details.length > 0) return new Failure('failed', title, { code, details })
  return new Failure(meaningOf(status), title, { code, hint: hintOf(status, detail) })
}

function isProblem(body: unknown): body is ShownProblem {
  if (!isJsonObject(body)) return false
  return [body['code'], body['title'], body['detail']].every((field) => typeof field === 'string')
}

function meaningOf(status: number): 'auth' | 'not found' | 'failed' {
  if (status === 401 || status === 403) return 'auth'
  return status === 404 ? 'not found' : 'failed'
}

function hintOf(status: number, detail: string): string {
  if (status !== 401) return detail
  return 'Give the file with the token of this service with --token-file, or its data folder with --data-dir, or set HOOKLINE_ADMIN_TOKEN.'
}
