import type { BackendUnavailable } from '../../backend.ts'

/** The result of one operation, as a thread posts it. */
export type Result = { readonly ok: true; readonly value: unknown } | Failure

export interface Failure {
  readonly ok: false
  readonly message: string
  readonly sqliteCode: number | undefined
}

// Primary result codes of SQLite for a fault of the machine, not of the statement:
// BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN (sqlite.org/rescode.html).
const TRANSIENT_CODES = new Set([5, 6, 7, 8, 10, 13, 14])

/** The result of an operation that threw. */
export function failure(error: unknown): Failure {
  const { message, errcode } = error as Error & { errcode?: number }
  return { ok: false, message, sqliteCode: errcode }
}

/** The error of a failed operation. `unavailable` makes it where the machine is at fault. */
export function errorOf(
  { message, sqliteCode }: Failure,
  unavailable: (cause: Error) => BackendUnavailable,
): Error {
  const error = new Error(`SQLite: ${message}`)
  return sqliteCode !== undefined && TRANSIENT_CODES.has(sqliteCode & 0xff)
    ? unavailable(error)
    : error
}
