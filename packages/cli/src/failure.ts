export const EXIT_CODES = {
  ok: 0,
  failed: 1,
  usage: 2,
  auth: 3,
  'not found': 4,
  unreachable: 6,
  partial: 7,
  unhealthy: 8,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** A validation error from the management API. */
export interface FailureDetail {
  /** A JSON Pointer or the name of a parameter. */
  readonly pointer: string
  readonly code: string
  readonly message: string
  readonly hint: string
}

interface FailureOptions extends ErrorOptions {
  readonly hint?: string
  /** Defaults to the meaning of the exit code. */
  readonly code?: string
  readonly details?: readonly FailureDetail[]
}

/** Why a command failed, as shown to the user. Contains no secret. */
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

  withHint(hint: string): Failure {
    const { meaning, message, code, details, cause } = this
    return new Failure(meaning, message, { code, details, cause, hint })
  }
}

export function writeFailure(file: string, cause: unknown): Failure {
  const { code, message } = cause as NodeJS.ErrnoException
  return new Failure('failed', `Cannot write ${file}: ${code ?? message}.`, {
    cause,
    hint: 'Check that its folder exists and is writable, and that the disk is not full.',
  })
}
