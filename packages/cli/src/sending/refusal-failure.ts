import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import { Failure } from '../failure.ts'
import { foreignAnswer } from '../api/foreign-answer.ts'

/** What the ingestion API answered where it did not take a call. */
interface Refusal {
  readonly status: number
  readonly code: string | undefined
}

/** The failure that such an answer stands for, with the remedy that its code has. */
export function refusalFailure({ status, code }: Refusal): Failure {
  if (isIngestCode(code)) {
    const { message, help } = INGEST_CODES[code]
    return new Failure(meaningOf(status), message, { code, hint: help })
  }
  if (status < 500) return foreignAnswer(status)
  // A proxy says that what is behind it is away.
  return new Failure('unreachable', `No Hookline answers there, only the status ${status}.`, {
    hint: 'Check that the service runs behind that address.',
  })
}

function meaningOf(status: number): 'auth' | 'failed' | 'unreachable' {
  if (status === 401 || status === 403) return 'auth'
  return status >= 500 ? 'unreachable' : 'failed'
}

function isIngestCode(code: string | undefined): code is IngestCodeName {
  return code !== undefined && Object.hasOwn(INGEST_CODES, code)
}
