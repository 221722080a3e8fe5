import { DeliveryError, RejectedError, type ReportedError, ValidationError } from '@hookline/client'
import { INGEST_CODES, type IngestCodeName } from '@hookline/protocol'
import { notHookline, unreachableFailure } from '../api/connection-failure.ts'
import { Failure } from '../failure.ts'

const WRITE_KEY_HINT =
  '`hookline sources list` shows the write keys. Pass one with --write-key or HOOKLINE_WRITE_KEY.'

export function sendingFailure(error: ReportedError | ValidationError, base: URL): Failure {
  if (error instanceof DeliveryError) {
    const { status, code, cause } = error
    if (cause instanceof Failure) return cause
    return status === undefined ? unreachableFailure(base, cause) : refusalFailure(status, code)
  }
  if (error instanceof RejectedError) return refusalFailure(400, error.code)
  if (error instanceof ValidationError) {
    return refusalFailure(INGEST_CODES[error.code].status, error.code)
  }
  throw error
}

function refusalFailure(status: number, code: string | undefined): Failure {
  if (isIngestCode(code)) {
    const { message, help } = INGEST_CODES[code]
    const hint = code === 'unknown_write_key' ? WRITE_KEY_HINT : help
    return new Failure(meaningOf(status, code), message, { code, hint })
  }
  if (status < 500) return notHookline(status)
  const message = `Unexpected response with status ${status}. It did not come from Hookline.`
  const hint = 'If there is a proxy in front of the service, check that the service is running.'
  return new Failure('unreachable', message, { hint })
}

function meaningOf(
  status: number,
  code: IngestCodeName,
): 'usage' | 'auth' | 'failed' | 'unreachable' {
  if (status === 401 || status === 403) return 'auth'
  if (status === 400 && code !== 'bad_request') return 'usage'
  return status >= 500 ? 'unreachable' : 'failed'
}

function isIngestCode(code: string | undefined): code is IngestCodeName {
  return code !== undefined && Object.hasOwn(INGEST_CODES, code)
}
