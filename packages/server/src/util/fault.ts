/** One thing that is wrong with a document someone sent, and the remedy. Quotes no value: it may be a secret. */
export interface Fault {
  /** Where, as a JSON Pointer (RFC 6901); `''` is the whole document. */
  readonly pointer: string
  /** What kind of fault it is, for programs. */
  readonly code: string
  /** What is wrong, in words. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
}

/** The fault, written in one line. */
export function fault(pointer: string, code: string, message: string, hint: string): Fault {
  return { pointer, code, message, hint }
}
