import { EXIT_CODES, type ExitCode } from './exit-codes.ts'

/** One fault of something that was sent, as the management API names it. */
export interface FailureDetail {
  /** Where: a JSON Pointer or the name of a parameter. */
  readonly pointer: string
  readonly message: string
  readonly hint: string
}

export interface FailureOptions extends ErrorOptions {
  /** What to do about it. */
  readonly hint?: string
  /** For programs; the meaning of the exit code where there is nothing more exact. */
  readonly code?: string
  readonly details?: readonly FailureDetail[]
}

/** Why a command could not do what it was asked, for the one who typed it. Holds no secret. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly meaning: keyof typeof EXIT_CODES
  readonly exitCode: ExitCode
  readonly code: string
  readonly hint: string | undefined
  readonly details: readonly FailureDetail[]

  constructor(meaning: keyof typeof EXIT_CODES, message: string, options: FailureOptions = {}) {
    super(message, options)
    this.meaning = meaning
    this.exitCode = EXIT_CODES[meaning]
    this.code = options.code ?? meaning.replaceAll(' ', '_')
    this.hint = options.hint
    this.details = options.details ?? []
  }

  /** The same failure, with other advice. */
  withHint(hint: string): Failure {
    const { meaning, message, code, details, cause } = this
    return new Failure(meaning, message, { code, details, cause, hint })
  }
}
