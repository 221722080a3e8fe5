import { isDiskFault } from '../../../util/durable-file.ts'
import type { BackendUnavailable } from '../../backend.ts'
import { isDamage } from './is-damage.ts'

/** The result of one operation, as a thread posts it. */
export type Result = { readonly ok: true; readonly value: unknown } | Failure

export interface Failure {
  readonly ok: false
  readonly message: string
  /** Whether the machine is at fault, so that a later try may succeed. */
  readonly isTransient: boolean
  /** The code of SQLite; 0 for another error. */
  readonly errcode: number
}

// Primary result codes of SQLite for a fault of the machine, not of the statement:
// BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN (sqlite.org/rescode.html).
const TRANSIENT_CODES = new Set([5, 6, 7, 8, 10, 13, 14])

/** The result of an operation that threw. */
export function failure(error: unknown): Failure {
  // Not the message: it may have the path of the file, and the response to /readyz is public.
  if (isDiskFault(error)) return unavailableResult(error.code!)
  const { message, errcode = 0 } = error as Error & { errcode?: number }
  return {
    ok: false,
    message: `SQLite: ${message}`,
    isTransient: TRANSIENT_CODES.has(errcode & 0xff) && !isDamage(error),
    errcode,
  }
}

/** The result of an operation that was not performed, because of the machine. The message is public. */
export function unavailableResult(message: string): Failure {
  return { ok: false, message, isTransient: true, errcode: 0 }
}

/** The error of a failed operation. `unavailable` makes it where the machine is at fault. */
export function errorOf(
  { message, isTransient, errcode }: Failure,
  unavailable: (cause: Error) => BackendUnavailable,
): Error {
  const error = Object.assign(new Error(message), { errcode })
  return isTransient ? unavailable(error) : error
}
