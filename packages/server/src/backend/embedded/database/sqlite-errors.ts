import { isDiskFault } from '../../../util/durable-file.ts'
import type { BackendUnavailable } from '../../backend.ts'

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

/** CORRUPT and NOTADB (sqlite.org/rescode.html): bytes of the file are not what SQLite has written. */
const CODES: ReadonlySet<number> = new Set([11, 26])
/** IOERR_SHORT_READ: a page is beyond the end of the file. */
const SHORT_READ = 522
const MESSAGE = /database disk image is malformed|file is not a database|malformed database schema/

/** Whether SQLite has found that the file is damaged. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode } = error as Error & { errcode?: number }
  // An error that comes from a thread has its message only.
  const isOfFile = errcode !== undefined && (CODES.has(errcode & 0xff) || errcode === SHORT_READ)
  return isOfFile || MESSAGE.test(error.message)
}

/** What SQLite says where a statement of ours does not fit to the schema: a table, a column or a trigger is damaged. */
const OF_SCHEMA =
  /no such (?:table|column|index|function)|syntax error|has no column named|unrecognized token/

/** Whether an error while the database is opened says that its schema is damaged. */
export function isDamageOfSchema(error: unknown): boolean {
  return error instanceof Error && OF_SCHEMA.test(error.message)
}
