import { isDiskError } from '../../../util/durable-file.ts'
import type { BackendUnavailableError } from '../../backend.ts'

export type OperationOutcome = { readonly ok: true; readonly value: unknown } | OperationFailure

export interface OperationFailure {
  readonly ok: false
  readonly message: string
  /** Whether a retry may succeed. */
  readonly isTransient: boolean
  readonly errcode: number
}

// Result codes for environment failures (sqlite.org/rescode.html): BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN.
const TRANSIENT_CODES = new Set([5, 6, 7, 8, 10, 13, 14])

export function failureOf(error: unknown): OperationFailure {
  // Not the message: it may contain the path, and `/readyz` is public.
  if (isDiskError(error)) return unavailableResult(error.code!)
  const { message, errcode = 0 } = error as Error & { errcode?: number }
  return {
    ok: false,
    message: `SQLite: ${message}`,
    isTransient: TRANSIENT_CODES.has(errcode & 0xff) && !isCorruption(error),
    errcode,
  }
}

/** For an operation that was not performed. The message is public. */
export function unavailableResult(message: string): OperationFailure {
  return { ok: false, message, isTransient: true, errcode: 0 }
}

/** The error for a failed operation; created by `unavailable` if the failure is transient. */
export function errorOf(
  { message, isTransient, errcode }: OperationFailure,
  unavailable: (cause: Error) => BackendUnavailableError,
): Error {
  const error = Object.assign(new Error(message), { errcode })
  return isTransient ? unavailable(error) : error
}

/** CORRUPT, NOTADB, and IOERR_SHORT_READ: a page is beyond the end of the file. */
const isCorruptionCode = (code: number): boolean => [11, 26].includes(code & 0xff) || code === 522
const MESSAGE = /database disk image is malformed|file is not a database|malformed database schema/

export function isCorruption(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { errcode = 0 } = error as Error & { errcode?: number }
  // Errors from a thread have only a message.
  return isCorruptionCode(errcode) || MESSAGE.test(error.message)
}

/** Errors from our statements if a table, a column or a trigger is corrupted. */
const SCHEMA_CORRUPTION =
  /no such (?:table|column|index|function)|syntax error|has no column named|unrecognized token/

export function isSchemaCorruption(error: unknown): boolean {
  return error instanceof Error && SCHEMA_CORRUPTION.test(error.message)
}
