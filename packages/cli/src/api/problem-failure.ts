import { isJsonObject } from '@hookline/protocol'
import { type EXIT_CODES, Failure, type FailureDetail } from '../failure.ts'
import { notHookline } from './connection-failure.ts'
import type { Problem } from './generated/management-client.ts'

/** The fields of a Problem document (RFC 9457) that are shown. */
type ShownProblem = Pick<Problem, 'code' | 'title' | 'detail'> &
  Partial<Pick<Problem, 'errors' | 'requestId'>>

/** The service does not know where a command takes its token from. */
const TOKEN_HINT =
  'Give the file with the token of this service with --token-file, or its data folder with --data-dir, or set HOOKLINE_ADMIN_TOKEN.'

/** Ids that were given as arguments or options. An unknown id inside of a document is a fault of the document. */
const GIVEN_ID = /^\/(?:sourceId|destinationId|eventId|(?:source|destination)Ids\/\d+)$/

/** The failure for an error response of the management API, in the words of the service. */
export function problemFailure(status: number, body: unknown): Failure {
  if (!isProblem(body)) return notHookline(status)
  const { code, title, errors: details = [] } = body
  const hint = hintOf(status, body)
  return new Failure(meaningOf(status, body), title, { code, details, ...(hint && { hint }) })
}

function isProblem(body: unknown): body is ShownProblem {
  if (!isJsonObject(body)) return false
  return [body['code'], body['title'], body['detail']].every((field) => typeof field === 'string')
}

function hintOf(status: number, problem: ShownProblem): string | undefined {
  const { detail, errors = [], requestId } = problem
  if (isWrongToken(status, problem)) return TOKEN_HINT
  // Each error has its own hint.
  if (errors.length > 0) return undefined
  return status === 500 && requestId !== undefined ? `${detail} requestId: ${requestId}` : detail
}

function meaningOf(status: number, problem: ShownProblem): keyof typeof EXIT_CODES {
  const { errors = [] } = problem
  if (status === 403 || isWrongToken(status, problem)) return 'auth'
  if (status === 404 || (errors.length > 0 && errors.every(isUnknownId))) return 'not found'
  if (status === 503) return 'unreachable'
  return [400, 413, 422, 431].includes(status) ? 'usage' : 'failed'
}

function isWrongToken(status: number, { code }: ShownProblem): boolean {
  return status === 401 || code === 'too_many_wrong_tokens'
}

function isUnknownId({ code, pointer }: FailureDetail): boolean {
  return code.startsWith('unknown_') && GIVEN_ID.test(pointer)
}
