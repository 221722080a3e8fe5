import { isJsonObject } from '@hookline/protocol'
import { PROBLEM_CODES, type ProblemCodeName } from '@hookline/server/problem-codes'
import { Failure, type FailureDetail } from '../failure.ts'
import { isUnknownId } from '../problems/fault-words.ts'
import { inCommands, speaksHttp } from '../problems/in-commands.ts'
import { listHint } from '../problems/list-hint.ts'
import { PROBLEM_WORDS, type ProblemWords } from '../problems/problem-words.ts'
import { notHookline } from './connection-failure.ts'
import type { Problem } from './generated/management-client.ts'

/** The fields of a Problem document (RFC 9457) that are used. */
type UsedProblem = Pick<Problem, 'code' | 'title' | 'detail'> &
  Partial<Pick<Problem, 'errors' | 'requestId'>>

/** Codes whose detail says what has happened. The detail of the others says what to do. */
const DETAIL_IS_MESSAGE = new Set(['not_found', 'unauthorized', 'conflict', 'rate_limited'])

/** The failure for an error response of the management API, in the words of the command. */
export function problemFailure(status: number, body: unknown): Failure {
  if (!isProblem(body)) return notHookline(status)
  const { code, errors: details = [] } = body
  if (details.length > 0) return refusal(code, details)
  const { meaning, message, hint } = wordsOf(status, body)
  const detail = ownDetail(body)
  if (detail === undefined) return new Failure(meaning, message, { code, hint })
  return DETAIL_IS_MESSAGE.has(code)
    ? new Failure(meaning, detail, {
        code,
        ...(code === 'not_found' ? listHint(detail) : { hint }),
      })
    : new Failure(meaning, message, { code, hint: detail })
}

/** A value that is not valid is an error of usage. An id that nothing has is told as not found. */
function refusal(code: string, details: readonly FailureDetail[]): Failure {
  const { length } = details
  if (details.every(isUnknownId)) {
    const message = length === 1 ? 'An id is not known.' : `${length} ids are not known.`
    return new Failure('not found', message, { code, details })
  }
  const message = length === 1 ? 'A value is not valid.' : `${length} values are not valid.`
  return new Failure('usage', message, { code, details })
}

function isProblem(body: unknown): body is UsedProblem {
  if (!isJsonObject(body)) return false
  return [body['code'], body['title'], body['detail']].every((field) => typeof field === 'string')
}

function wordsOf(status: number, { code, title, requestId }: UsedProblem): ProblemWords {
  // A newer service may have codes that this command does not know.
  if (!isKnown(code)) {
    const words = { ...PROBLEM_WORDS.bad_request, meaning: meaningOf(status) }
    return speaksHttp(title) ? words : { ...words, message: title }
  }
  const words = PROBLEM_WORDS[code]
  if (code !== 'internal_error' || requestId === undefined) return words
  return {
    ...words,
    hint: `The log of the service has the cause, with the requestId ${requestId}.`,
  }
}

/** What the response says of this request, and not of every one with its code; unless it speaks of HTTP. */
function ownDetail({ code, detail }: UsedProblem): string | undefined {
  const isGeneral = isKnown(code) && detail === PROBLEM_CODES[code].help
  const own = inCommands(detail)
  return isGeneral || speaksHttp(own) ? undefined : own
}

function isKnown(code: string): code is ProblemCodeName {
  return Object.hasOwn(PROBLEM_WORDS, code)
}

function meaningOf(status: number): 'auth' | 'not found' | 'failed' {
  if (status === 401 || status === 403) return 'auth'
  return status === 404 ? 'not found' : 'failed'
}
