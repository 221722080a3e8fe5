import { DeliveryError, RejectedError, type ReportedError, ValidationError } from '@hookline/client'
import { INGEST_CODES } from '@hookline/protocol'
import { Failure } from '../failure.ts'
import { refusalFailure } from './refusal-failure.ts'
import { unreachable } from '../api/unreachable.ts'

/** The failure that an error of the client library stands for, with the service at `base`. */
export function deliveryFailure(error: ReportedError | ValidationError, base: URL): Failure {
  if (error instanceof DeliveryError) {
    const { status, code, cause } = error
    if (cause instanceof Failure) return cause
    return status === undefined ? unreachable(base, cause) : refusalFailure({ status, code })
  }
  if (error instanceof RejectedError) return refusalFailure({ status: 400, code: error.code })
  if (error instanceof ValidationError) {
    const { code } = error
    return refusalFailure({ status: INGEST_CODES[code].status, code })
  }
  throw error
}
